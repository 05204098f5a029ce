#pragma once

#include <string>
#include <vector>

#include "sim/cost/profile_cost_model.hpp"
#include "sim/plan/search.hpp"
#include "tests/sim/program/program_fixtures.hpp"

namespace stepcast::test {

inline const Profile& h100() {
  static const Profile profile = load_profile("h100-sxm");
  return profile;
}

inline const ProfileCostModel& h100_costs() {
  static const ProfileCostModel costs(h100(), {.sustained = true});
  return costs;
}

// A search of the small model of program_fixtures on so many GPUs of one server.
inline SearchRequest small_search(const std::vector<std::int64_t>& gpu_counts = {8},
                                  const std::vector<std::string>& overrides = {}) {
  SearchRequest request;
  for (const std::int64_t gpus : gpu_counts) {
    nlohmann::json document = with_overrides(small_run(), overrides);
    document["cluster"]["gpus"] = gpus;
    Run base = parse_search_base("search", document);
    base.overlap = {true, true, false, true};
    request.bases.push_back(std::move(base));
  }
  return request;
}

// Every variant of every family of the request, with the unit that it belongs to.
template <class Visit>
void for_each_variant(const SearchRequest& request, const SearchSpace& space, CandidateModel& model,
                      const Visit& visit) {
  for (const SearchUnit& unit : space.units()) {
    std::int64_t invalid = 0;
    model.open_unit(unit);
    for (const Candidate& family : space.families(unit, invalid)) {
      model.open_family(family);
      for (const Candidate& variant : space.recompute_variants(family, model.largest_chunk()))
        visit(variant, request.bases[variant.base]);
    }
  }
}

}  // namespace stepcast::test

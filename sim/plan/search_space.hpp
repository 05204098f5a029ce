#pragma once

#include <cstdint>
#include <vector>

#include "common/errors.hpp"
#include "sim/plan/candidate.hpp"
#include "sim/plan/search_request.hpp"

namespace stepcast {

// Degrees and placement: the part of a candidate that decides who talks to whom.
struct SearchUnit {
  std::size_t base = 0;
  std::int64_t tensor = 1, pipeline = 1, context = 1, data = 1;
  RankOrder order = RankOrder::as_given;
  ContextKind context_kind = ContextKind::ring;
};

// Every valid candidate of a request, in one fixed order. Validity is check_rules and check_scope;
// a combination of degrees that breaks a rule counts once as invalid.
class SearchSpace {
 public:
  explicit SearchSpace(const SearchRequest& request);

  [[nodiscard]] const std::vector<SearchUnit>& units() const { return units_; }
  [[nodiscard]] std::int64_t invalid_units() const { return invalid_units_; }

  // Candidates of a unit without recompute, or with the pinned kind; adds to `invalid` what broke a
  // rule or a limit.
  [[nodiscard]] std::vector<Candidate> families(const SearchUnit& unit,
                                                std::int64_t& invalid) const;
  // The same candidate under each way to recompute, lightest work first.
  [[nodiscard]] std::vector<Candidate> recompute_variants(const Candidate& family,
                                                          std::int64_t largest_chunk) const;
  // When there is no valid candidate: the rules that the pinned members break by themselves. Empty
  // if it takes the limits, or several members together.
  [[nodiscard]] std::vector<Problem> why_none() const;

 private:
  [[nodiscard]] bool pinned(const char* member) const;
  [[nodiscard]] std::vector<std::int64_t> micro_batches(const SearchUnit& unit) const;
  [[nodiscard]] std::vector<Candidate> schedules(const SearchUnit& unit) const;
  void add_units(std::size_t base);

  const SearchRequest& request_;
  std::vector<SearchUnit> units_;
  std::int64_t invalid_units_ = 0;
};

}  // namespace stepcast

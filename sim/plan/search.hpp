#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/cost/profile.hpp"
#include "sim/plan/incumbents.hpp"
#include "sim/plan/search_request.hpp"
#include "sim/plan/search_space.hpp"
#include "sim/predict/prediction.hpp"

namespace stepcast {

// candidates = invalid + pruned_memory + pruned_time + simulated.
struct SearchCounts {
  std::int64_t candidates = 0;
  std::int64_t invalid = 0;        // break a rule, or a limit of the request
  std::int64_t pruned_memory = 0;  // do not fit
  std::int64_t pruned_time = 0;    // cannot be better than what was found
  std::int64_t simulated = 0;
  SearchCounts& operator+=(const SearchCounts& other);
  friend bool operator==(const SearchCounts&, const SearchCounts&) = default;
};

// What the search of one unit gave: the candidates that were still among the best or on the front.
struct UnitResult {
  std::size_t unit = 0;
  SearchCounts counts;
  std::vector<FoundCandidate> kept;
};

struct RankedRun {
  Run run;
  Prediction prediction;
};

struct SearchResult {
  SearchCounts counts;
  std::vector<RankedRun> best;    // by objective; each has other degrees
  std::vector<RankedRun> pareto;  // fastest first
  std::vector<Problem> problems;  // SearchSpace::why_none, where no candidate is valid
};

// Where a search tells how far it is, and shares its work.
struct SearchHooks {
  std::function<void(std::size_t done, std::size_t units)> progress = [](std::size_t, std::size_t) {
  };
  // Called with each round's results of this process; returns those of all processes. The default
  // has one process.
  std::function<std::vector<UnitResult>(std::vector<UnitResult>)> exchange =
      [](std::vector<UnitResult> own) { return own; };
  std::size_t process = 0, processes = 1;
  // A unit whose result is known from an earlier run of the same request, or nullptr.
  std::function<const UnitResult*(std::size_t unit)> known = [](std::size_t) { return nullptr; };
};

// Searches on all cores. Units are taken in rounds of a fixed size and each round starts from what
// the rounds before it found, so the result does not depend on the number of threads or processes.
// Candidates are compared by CandidateModel::replayed_time; the best and the front are then
// predicted in full (SimulationDetail::actions) and ranked by that.
[[nodiscard]] SearchResult search(const SearchRequest& request, const Profile& profile,
                                  const SearchHooks& hooks = {});

}  // namespace stepcast

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "sim/plan/candidate.hpp"
#include "sim/plan/candidate_model.hpp"
#include "sim/plan/search_request.hpp"

namespace stepcast {

struct FoundCandidate {
  Candidate candidate;
  CandidateCost cost;
  std::int64_t gpus = 0;
};

// What the objective makes as small as it can: seconds, GPU-seconds, or bytes.
[[nodiscard]] double objective_value(Objective objective, const CandidateCost& cost,
                                     std::int64_t gpus);

// The best candidates so far: for each combination of degrees its best one, and the Pareto front of
// step time, memory and GPUs. A front point stands for others that are no faster and need no more
// than one percent of the GPU's memory less; what costs more than twice the GPU time of the best is
// not on the front.
class Incumbents {
 public:
  // Keeps the best of the `keep` best combinations of degrees.
  Incumbents(Objective objective, std::size_t keep, double memory_capacity);

  // Whether a candidate that takes at least `least` could still enter the best, or the front.
  // Adding more only turns answers to no.
  [[nodiscard]] bool may_be_best(const Candidate& candidate, const CandidateCost& least,
                                 std::int64_t gpus) const;
  [[nodiscard]] bool may_be_on_front(const CandidateCost& least, std::int64_t gpus) const;

  void add(const FoundCandidate& found);
  // Best first; of equals the one that was added first.
  [[nodiscard]] std::vector<FoundCandidate> best() const;
  // Fastest first.
  [[nodiscard]] const std::vector<FoundCandidate>& front() const { return front_; }

 private:
  using Degrees = std::tuple<std::size_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
  struct Entry {
    FoundCandidate found;
    double value = 0.0;
    std::uint64_t sequence = 0;
  };
  [[nodiscard]] static Degrees degrees_of(const Candidate& candidate);
  [[nodiscard]] bool too_dear(const FoundCandidate& found) const;
  void lower_threshold();

  Objective objective_;
  std::size_t keep_;
  double resolution_;
  std::map<Degrees, Entry> best_;
  double threshold_;
  double least_gpu_seconds_;
  std::vector<FoundCandidate> front_;
  std::uint64_t added_ = 0;
};

}  // namespace stepcast

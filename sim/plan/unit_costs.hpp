#pragma once

#include <vector>

#include "sim/cost/profile.hpp"
#include "sim/network/collectives.hpp"
#include "sim/parallel/stage_layout.hpp"

namespace stepcast {

// What stages exchange and how a step ends, for the degrees and the placement of one search unit.
class UnitCosts {
 public:
  // `run`: any candidate of the unit.
  UnitCosts(const Run& run, const Profile& profile, const CostModel& costs);

  // Seconds for one boundary tensor of the candidate `run` from each stage to the next.
  [[nodiscard]] std::vector<double> transfers(const Run& run) const;
  // All-reduce or reduce-scatter of the gradients of so many parameters.
  [[nodiscard]] double reduce(const Run& run, std::int64_t parameters) const;
  [[nodiscard]] double gather(const Run& run, std::int64_t parameters) const;
  // Gradient passes and the optimizer.
  [[nodiscard]] double update(const Run& run, std::int64_t parameters) const;

 private:
  [[nodiscard]] double collective(CollectiveOp op, double bytes) const;

  const CostModel& costs_;
  CollectiveModel collectives_;
  Placement data_;
  std::vector<Placement> boundaries_;     // different ones
  std::vector<std::size_t> boundary_of_;  // by stage
  std::int64_t replicas_ = 1;
};

}  // namespace stepcast

#pragma once

#include <array>
#include <map>
#include <vector>

#include "sim/cost/profile.hpp"
#include "sim/network/collectives.hpp"
#include "sim/program/operation.hpp"

namespace stepcast {

// Where an operation's time goes and how well it is known. `seconds` by CostKind.
struct ComputeParts {
  std::array<Seconds, 4> seconds{};
  Seconds host;                           // gaps between kernels
  std::array<Seconds, 4> by_basis{};      // kernel time by Basis
  std::array<double, 4> sigma_seconds{};  // sum of time x relative sigma, by CostKind
  Flops hardware_flops;
  std::size_t longest = 0;  // index of the kernel that takes most of the time
};

// One operation, ready for the engine: alone it takes latency + duration.
struct CostedOperation {
  Seconds latency, duration;
  std::vector<TierUse> use;   // share of a link's time at full speed (seconds_per_byte: per second)
  double memory_share = 0.0;  // of the memory bandwidth at full speed
  double held_share = 0.0;    // of the device's SMs, for a communication kernel
  double speed_beside_compute = 1.0;
  ComputeParts parts;             // compute
  CollectiveEstimate collective;  // communication
};

// Costs operations of one stage's representative rank.
class OperationCosts {
 public:
  OperationCosts(const Profile& profile, const CostModel& costs,
                 const CollectiveModel& collectives);

  [[nodiscard]] CostedOperation compute(const Compute& work) const;
  [[nodiscard]] CostedOperation communication(CollectiveOp op, Bytes size, Engines engines,
                                              const Placement& placement) const;

 private:
  struct KernelCost {
    Estimate estimate;
    Bytes moved;
    Flops flops;
  };
  [[nodiscard]] KernelCost cost(const Kernel& kernel) const;

  const Profile& profile_;
  const CostModel& costs_;
  const CollectiveModel& collectives_;
};

}  // namespace stepcast

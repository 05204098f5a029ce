#pragma once

#include <string>
#include <vector>

#include "sim/cost/cost_model.hpp"
#include "sim/cost/profile.hpp"
#include "sim/network/placement.hpp"
#include "topologies/cluster.hpp"

namespace stepcast {

// A fault and the cluster (and placement of the ranks) that has it.
struct Fault {
  std::string name;
  Cluster cluster;
  Placement placement;
};

// What commonly makes a collective slow, as far as it changes this cluster: NVLink unused (traffic
// over PCIe); with several servers also one NIC missing or at half its rate, and on every
// server half of the NICs or all but one missing. None for a cluster that was read vertex by
// vertex.
[[nodiscard]] std::vector<Fault> likely_faults(const Cluster& cluster, std::int64_t ranks);

// The fault whose forecast is nearest to the measured time, if within 20 % and nearer than what
// `healthy` predicts; a note otherwise.
[[nodiscard]] std::string likely_cause(const std::vector<Fault>& faults, CollectiveOp op,
                                       Bytes size, Seconds measured, Seconds healthy,
                                       const Profile& profile, const CostModel& costs);

}  // namespace stepcast

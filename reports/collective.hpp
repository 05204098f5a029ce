#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/cost/cost_model.hpp"
#include "sim/network/collectives.hpp"
#include "topologies/cluster.hpp"

namespace stepcast {

// One line of a sweep, in nccl-tests' sense of size, time, algorithm and bus bandwidth.
struct CollectiveRow {
  CollectiveOp op = CollectiveOp::all_reduce;
  std::int64_t ranks = 0, nodes = 0;
  Bytes bytes;
  CollectiveEstimate estimate;
  [[nodiscard]] BytesPerSecond algbw() const { return bytes / estimate.time(); }
  [[nodiscard]] BytesPerSecond busbw() const { return algbw() * bus_bandwidth_factor(op, ranks); }
};

struct Sweep {
  CollectiveOp op = CollectiveOp::all_reduce;
  Bytes first, last;
  double factor = 2.0;     // > 1
  std::int64_t ranks = 0;  // the cluster's GPUs 0 .. ranks - 1, one group
};

// Sizes first, first * factor, ... up to last (nccl-tests' -b -e -f).
// Preconditions: 0 < first <= last, factor > 1, 2 <= ranks <= GPUs of the cluster.
[[nodiscard]] std::vector<CollectiveRow> collective_sweep(const Cluster& cluster,
                                                          const Profile& profile,
                                                          const CostModel& costs,
                                                          const Sweep& sweep);

[[nodiscard]] std::string collective_text(const std::vector<CollectiveRow>& rows);

}  // namespace stepcast

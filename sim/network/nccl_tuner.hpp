#pragma once

#include <cstdint>
#include <string>

#include "common/units.hpp"
#include "sim/cost/cost_model.hpp"
#include "sim/network/collectives.hpp"

// NCCL's own model of ring and tree: the formulas by which it chooses algorithm and protocol.
// Source: NVIDIA/nccl 2.30.7 src/graph/tuning.cc, as restated in SEMANTICS 7.2. All latencies and
// limits are NCCL's constants for Hopper-class hardware; measurement replaces them where there is
// any.
namespace stepcast {

enum class NcclArchitecture { volta, ampere, hopper, blackwell };
[[nodiscard]] NcclArchitecture nccl_architecture(double compute_capability);

// What NCCL's graph search found. `nodes` are NVLink domains.
struct NcclGraph {
  std::int64_t ranks = 2;
  std::int64_t nodes = 1;
  std::int64_t channels = 1;
  BytesPerSecond channel_bandwidth;
};

// Ceilings by architecture, CPU vendor ("intel", "amd", "arm") and number of nodes.
struct NcclLimits {
  BytesPerSecond ll;  // of all channels together
  BytesPerSecond ring_ll128_per_channel;
  BytesPerSecond tree_per_channel;
  BytesPerSecond tree_ll128_per_channel;
};
[[nodiscard]] NcclLimits nccl_limits(NcclArchitecture architecture, const std::string& cpu,
                                     std::int64_t nodes);

struct NcclLatencies {
  Seconds network_overhead;       // of posting to the network; NCCL: 1 us, 2 us on AMD CPUs
  Seconds extra_domain_latency;   // of one hop inside a node, beyond NCCL's constant
  Seconds extra_network_latency;  // of one hop between nodes, beyond NCCL's constant
};
[[nodiscard]] Seconds nccl_network_overhead(const std::string& cpu);

// time = latency + bytes / algorithm_bandwidth (before the size-dependent corrections below).
struct NcclCost {
  BytesPerSecond algorithm_bandwidth;
  Seconds latency;
};
// all_reduce, all_gather, reduce_scatter and broadcast. Precondition: ranks >= 2.
[[nodiscard]] NcclCost nccl_ring(CollectiveOp op, Protocol protocol, const NcclGraph& graph,
                                 const NcclLimits& limits, const NcclLatencies& latencies);
// all_reduce only.
[[nodiscard]] NcclCost nccl_tree(Protocol protocol, const NcclGraph& graph,
                                 const NcclLimits& limits, const NcclLatencies& latencies);
// Latency of reduction in the switches, with a tree over the network if nodes > 1.
[[nodiscard]] Seconds nccl_nvls_latency(std::int64_t nodes, const NcclLatencies& latencies);

// Tree bandwidth falls below the formula at medium sizes: NCCL's factor by power of two, here
// interpolated in between so that time never falls with size.
[[nodiscard]] double nccl_tree_correction(Protocol protocol, Bytes size);

// Ring, Simple, between nodes: latency grows by this factor once a channel's share is 64 bytes.
[[nodiscard]] double nccl_ring_plateau(CollectiveOp op, Protocol protocol, const NcclGraph& graph,
                                       Bytes size);

}  // namespace stepcast

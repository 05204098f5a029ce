#include "sim/network/nccl_tuner.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "common/errors.hpp"

namespace stepcast {
namespace {

constexpr std::size_t protocols = 3;  // ll, ll128, simple
using ByProtocol = std::array<double, protocols>;
using ByNodes = std::array<double, 3>;  // one, two, more

// Microseconds.
constexpr ByProtocol tree_base{6.8, 14.0, 8.4};
constexpr ByProtocol ring_base{6.6, 14.0, 8.4};
constexpr ByProtocol tree_nvlink_hop{0.6, 1.25, 4.0};
constexpr ByProtocol ring_nvlink_hop{0.6, 1.9, 3.4};
constexpr ByProtocol tree_network_hop{5.0, 8.5, 14.0};
constexpr ByProtocol ring_network_hop{2.7, 4.0, 14.0};
constexpr double nvls_hop = 25.0;
constexpr double nvls_tree_network_hop = 20.9;

// GB/s, by architecture (volta, ampere, hopper, blackwell). Row 0 and 1 of ll_limit double as Intel
// and AMD when there are several nodes.
constexpr std::array<ByNodes, 4> ll_limit{
    {{39.0, 39.0, 20.4}, {87.7, 22.5, 19.0}, {141.0, 45.0, 35.0}, {282.0, 90.0, 70.0}}};
constexpr std::array<ByNodes, 4> ring_ll128_limit{
    {{20.0, 20.0, 20.0}, {20.0, 20.0, 20.0}, {36.7, 36.7, 36.7}, {40.0, 40.0, 40.0}}};
constexpr std::array<ByNodes, 4> tree_limit{
    {{26.5, 18.5, 10.0}, {24.0, 23.6, 17.8}, {38.7, 41.4, 36.0}, {70.0, 42.8, 24.0}}};
constexpr std::array<ByNodes, 4> tree_ll128_limit{
    {{20.0, 20.0, 20.0}, {20.0, 20.0, 20.0}, {36.7, 36.7, 29.0}, {55.6, 31.67, 20.0}}};

// By power of two from 64 B.
constexpr std::array<std::array<double, 23>, protocols> tree_correction{{
    {1.0, 1.0, 1.0, 1.0, .9, .8, .7, .7,  .7,  .7,  .6, .5,
     .4,  .4,  .5,  .6,  .7, .8, .9, 1.0, 1.0, 1.0, 1.0},
    {1.0, 1.0, 1.0, 1.0, 1.0, .9, .8, .8, .8, .7,  .6, .6,
     .6,  .6,  .6,  .6,  .8,  .9, .9, .9, .9, 1.0, 1.0},
    {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9},
}};

std::size_t index(Protocol protocol) { return static_cast<std::size_t>(protocol); }
BytesPerSecond gigabytes(double rate) { return BytesPerSecond{rate * 1e9}; }

std::int64_t ring_steps(CollectiveOp op, std::int64_t ranks) {
  switch (op) {
    case CollectiveOp::all_reduce: return 2 * (ranks - 1);
    case CollectiveOp::all_gather:
    case CollectiveOp::reduce_scatter: return ranks - 1;
    default: return ranks;
  }
}

std::int64_t ring_network_steps(CollectiveOp op, std::int64_t nodes) {
  return op == CollectiveOp::all_reduce ? 2 * (nodes - 1) : nodes - 1;
}

double whole_log2(std::int64_t number) {
  return std::floor(std::log2(static_cast<double>(number)));
}

Seconds ring_latency(CollectiveOp op, Protocol protocol, const NcclGraph& graph,
                     const NcclLatencies& latencies) {
  const std::size_t p = index(protocol);
  const double posts = protocol == Protocol::simple ? 3.0 : 1.0;
  // One rank a node: nothing hides the network hop, and NCCL takes the tree's constant.
  const double network_hop = graph.ranks == graph.nodes ? tree_network_hop[p] : ring_network_hop[p];
  const double flushes = protocol == Protocol::simple ? 2.0 : 1.0;
  const Seconds network = microseconds(network_hop) + flushes * latencies.extra_network_latency;
  Seconds domain = microseconds(ring_nvlink_hop[p]) + latencies.extra_domain_latency;
  if (op == CollectiveOp::broadcast)
    return microseconds(ring_base[p]) + (graph.nodes > 1 ? network : domain);
  if (graph.nodes > 1) domain = std::max(domain, posts * latencies.network_overhead);
  const std::int64_t steps = ring_steps(op, graph.ranks);
  const std::int64_t over_network = ring_network_steps(op, graph.nodes);
  return microseconds(ring_base[p]) + static_cast<double>(steps - over_network) * domain +
         static_cast<double>(over_network) * network;
}

}  // namespace

NcclArchitecture nccl_architecture(double compute_capability) {
  if (compute_capability >= 10.0) return NcclArchitecture::blackwell;
  if (compute_capability >= 9.0) return NcclArchitecture::hopper;
  return compute_capability >= 8.0 ? NcclArchitecture::ampere : NcclArchitecture::volta;
}

NcclLimits nccl_limits(NcclArchitecture architecture, const std::string& cpu, std::int64_t nodes) {
  const auto row = static_cast<std::size_t>(architecture);
  const std::size_t column = nodes <= 2 ? static_cast<std::size_t>(nodes - 1) : 2;
  const std::size_t ll_row = nodes == 1 ? row : (cpu == "amd" ? 1U : 0U);
  return {.ll = gigabytes(ll_limit[ll_row][column]),
          .ring_ll128_per_channel = gigabytes(ring_ll128_limit[row][column]),
          .tree_per_channel = gigabytes(tree_limit[row][column]),
          .tree_ll128_per_channel = gigabytes(tree_ll128_limit[row][column])};
}

Seconds nccl_network_overhead(const std::string& cpu) {
  return microseconds(cpu == "amd" ? 2.0 : 1.0);
}

NcclCost nccl_ring(CollectiveOp op, Protocol protocol, const NcclGraph& graph,
                   const NcclLimits& limits, const NcclLatencies& latencies) {
  STEPCAST_CHECK(graph.ranks >= 2);
  const auto channels = static_cast<double>(graph.channels);
  BytesPerSecond bus = channels * graph.channel_bandwidth;
  if (protocol == Protocol::ll) bus = std::min(limits.ll, 0.5 * bus);
  if (protocol == Protocol::ll128)
    bus = std::min(0.92 * bus, channels * limits.ring_ll128_per_channel);
  const double ratio =
      static_cast<double>(graph.ranks) / static_cast<double>(ring_steps(op, graph.ranks));
  return {.algorithm_bandwidth = ratio * bus,
          .latency = ring_latency(op, protocol, graph, latencies)};
}

NcclCost nccl_tree(Protocol protocol, const NcclGraph& graph, const NcclLimits& limits,
                   const NcclLatencies& latencies) {
  const std::size_t p = index(protocol);
  const auto channels = static_cast<double>(graph.channels);
  BytesPerSecond bus =
      std::min(0.92 * channels * graph.channel_bandwidth, channels * limits.tree_per_channel);
  if (protocol == Protocol::ll) bus = std::min(bus / 3.8, limits.ll);
  if (protocol == Protocol::ll128)
    bus = std::min(bus * (graph.nodes == 1 ? 7.0 / 9.0 : 120.0 / 128.0),
                   channels * limits.tree_ll128_per_channel);
  const double flushes = protocol == Protocol::simple ? 2.0 : 1.0;
  const Seconds domain = microseconds(tree_nvlink_hop[p]) + latencies.extra_domain_latency;
  const Seconds network =
      microseconds(tree_network_hop[p]) + flushes * latencies.extra_network_latency;
  const auto chain = static_cast<double>(graph.ranks / graph.nodes - 1);
  return {.algorithm_bandwidth = 0.5 * bus,
          .latency = microseconds(tree_base[p]) +
                     2.0 * (chain * domain + whole_log2(graph.nodes) * network)};
}

Seconds nccl_nvls_latency(std::int64_t nodes, const NcclLatencies& latencies) {
  const Seconds domain = microseconds(nvls_hop) + latencies.extra_domain_latency;
  const Seconds network =
      microseconds(nvls_tree_network_hop) + 2.0 * latencies.extra_network_latency;
  return domain + 2.0 * whole_log2(nodes) * network;
}

double nccl_tree_correction(Protocol protocol, Bytes size) {
  const auto& factors = tree_correction[index(protocol)];
  const double position = std::log2(std::max(size.value(), 64.0) / 64.0);
  const double last = static_cast<double>(factors.size() - 1);
  if (position >= last)
    return position >= last + 1.0 ? 1.0
                                  : factors.back() + (1.0 - factors.back()) * (position - last);
  const double below = std::floor(position);
  const auto at = static_cast<std::size_t>(below);
  return factors[at] + (factors[at + 1] - factors[at]) * (position - below);
}

double nccl_ring_plateau(CollectiveOp op, Protocol protocol, const NcclGraph& graph, Bytes size) {
  constexpr double share = 64.0;  // bytes
  const bool applies = op == CollectiveOp::all_reduce && protocol == Protocol::simple &&
                       graph.nodes > 1 &&
                       size.value() >= share * static_cast<double>(graph.channels * graph.ranks);
  return applies ? 1.4 : 1.0;
}

}  // namespace stepcast

#include "topologies/cluster_summary.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

namespace stepcast {
namespace {

std::vector<TierSummary> tiers_of(const Topology& topology) {
  std::array<std::optional<TierSummary>, link_tier_count> tiers;
  for (const Link& link : topology.links()) {
    auto& tier = tiers.at(static_cast<std::size_t>(link.tier));
    if (!tier) tier = TierSummary{link.tier, 0, link.bandwidth, link.bandwidth, link.latency};
    if (link.from < link.to) ++tier->links;
    tier->slowest = std::min(tier->slowest, link.bandwidth);
    tier->fastest = std::max(tier->fastest, link.bandwidth);
    tier->latency = std::max(tier->latency, link.latency);
  }
  std::vector<TierSummary> found;
  for (const auto& tier : tiers)
    if (tier) found.push_back(*tier);
  return found;
}

}  // namespace

ClusterSummary summarize(const Cluster& cluster) {
  const Topology& topology = cluster.topology;
  ClusterSummary summary;
  summary.gpus = topology.gpu_count();
  std::set<std::uint32_t> nodes, domains;
  for (std::uint32_t i = 0; i < topology.gpu_count(); ++i) {
    nodes.insert(topology.node_of(GpuId{i}));
    domains.insert(topology.nvlink_domain_of(GpuId{i}));
  }
  summary.servers = static_cast<std::int64_t>(nodes.size());
  summary.nvlink_domains = static_cast<std::int64_t>(domains.size());
  for (const Vertex& vertex : topology.vertices()) ++summary.vertices[vertex.kind];
  summary.tiers = tiers_of(topology);
  summary.bisection = bisection_bandwidth(cluster);
  return summary;
}

}  // namespace stepcast

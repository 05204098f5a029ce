#include "topologies/describe.hpp"

#include <fmt/format.h>

#include "topologies/cluster_summary.hpp"
#include "topologies/fabric.hpp"

namespace stepcast {
namespace {

std::string in_gb(BytesPerSecond rate) {
  const double gb = rate.value() * 1e-9;
  return gb < 1000.0 ? fmt::format("{:.4g}", gb) : fmt::format("{:.0f}", gb);
}

std::string count(std::int64_t number, const std::string& what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

std::string fabric_line(const Cluster& cluster) {
  if (cluster.explicit_graph) return "graph     given vertex by vertex\n";
  if (cluster.nodes == 1) return "";
  const FabricSpec& fabric = cluster.fabric;
  std::string line = fmt::format("fabric    {}", name_of(fabric.kind));
  if (fabric.kind != FabricKind::single_switch)
    line += fmt::format(", {}, {} below a leaf",
                        fabric.oversubscription == 1.0
                            ? "full bandwidth"
                            : fmt::format("{:g}:1 oversubscribed", fabric.oversubscription),
                        count(fabric.nodes_per_leaf, "server"));
  if (fabric.kind == FabricKind::three_level_fat_tree)
    line += fmt::format(", {} in a pod", fabric.leaves_per_pod == 1
                                             ? "1 leaf"
                                             : fmt::format("{} leaves", fabric.leaves_per_pod));
  return line + "\n";
}

std::string counts(const Cluster& cluster, const ClusterSummary& summary) {
  std::string text = "\nvertices       count\n";
  for (const auto& [kind, number] : summary.vertices) {
    text += fmt::format("{:<12}{:>8}", name_of(kind), number);
    if (kind == VertexKind::nvswitch && cluster.server.nvswitches > 1)
      text += fmt::format("  (each stands for {} chips)", cluster.server.nvswitches);
    text += "\n";
  }
  return text;
}

std::string tiers(const ClusterSummary& summary) {
  std::string text = "\ntier      links  GB/s per direction  latency us\n";
  for (const TierSummary& tier : summary.tiers) {
    std::string rate = in_gb(tier.fastest);
    if (tier.slowest < tier.fastest) rate = in_gb(tier.slowest) + " to " + rate;
    text += fmt::format("{:<7}{:>8}  {:>18}  {:>10.3g}\n", name_of(tier.tier), tier.links, rate,
                        tier.latency.value() * 1e6);
  }
  return text;
}

}  // namespace

std::string describe(const Cluster& cluster) {
  const ClusterSummary summary = summarize(cluster);
  const ServerSpec& server = cluster.server;
  std::string text = fmt::format("cluster   {}\n", cluster.name);
  text += fmt::format("gpus      {} {} with {:.4g} GiB, in {}", summary.gpus, server.gpu,
                      server.gpu_memory.value() / gibibytes(1.0).value(),
                      count(summary.servers, "server"));
  if (summary.nvlink_domains < summary.gpus)
    text += fmt::format(", {} of up to {}", count(summary.nvlink_domains, "NVLink domain"),
                        server.nvlink_domain_gpus);
  text += "\n";
  text += fabric_line(cluster) + counts(cluster, summary) + tiers(summary);
  text += fmt::format("\nbisection bandwidth {} GB/s per direction, between halves of the {}\n",
                      in_gb(summary.bisection), summary.servers > 1 ? "servers" : "GPUs");
  for (const std::string& warning : cluster.warnings) text += "warning: " + warning + "\n";
  if (!server.sources.empty()) text += "\nsources\n";
  for (const std::string& source : server.sources) text += "- " + source + "\n";
  return text;
}

}  // namespace stepcast

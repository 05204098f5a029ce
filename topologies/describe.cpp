#include "topologies/describe.hpp"

#include <fmt/format.h>

#include "topologies/cluster_summary.hpp"
#include "topologies/fabric.hpp"

namespace stepcast {
namespace {

double in_gb(BytesPerSecond rate) { return rate.value() * 1e-9; }

std::string count(std::int64_t number, const std::string& what, const char* plural = "s") {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : plural);
}

std::string fabric_line(const Cluster& cluster) {
  if (cluster.explicit_graph) return "graph     given vertex by vertex\n";
  if (cluster.nodes == 1) return "";
  const FabricSpec& fabric = cluster.fabric;
  std::string line = fmt::format("fabric    {}", name_of(fabric.kind));
  if (fabric.kind != FabricKind::single_switch)
    line += fmt::format(", {:g}:1 oversubscribed, {} below a leaf", fabric.oversubscription,
                        count(fabric.nodes_per_leaf, "server"));
  if (fabric.kind == FabricKind::three_level_fat_tree)
    line += fmt::format(", {} in a pod", count(fabric.leaves_per_pod, "leaf", " (leaves)"));
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
    std::string rate = fmt::format("{:.4g}", in_gb(tier.fastest));
    if (tier.slowest < tier.fastest) rate = fmt::format("{:.4g} to {}", in_gb(tier.slowest), rate);
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
  text += fmt::format("gpus      {} {} with {:.4g} GiB, in {}, {} of up to {}\n", summary.gpus,
                      server.gpu, server.gpu_memory.value() / gibibytes(1.0).value(),
                      count(summary.servers, "server"),
                      count(summary.nvlink_domains, "NVLink domain"), server.nvlink_domain_gpus);
  text += fabric_line(cluster) + counts(cluster, summary) + tiers(summary);
  text += fmt::format("\nbisection bandwidth {:.4g} GB/s per direction, between halves of the {}\n",
                      in_gb(summary.bisection), summary.servers > 1 ? "servers" : "GPUs");
  for (const std::string& warning : cluster.warnings) text += "warning: " + warning + "\n";
  if (!server.sources.empty()) text += "\nsources\n";
  for (const std::string& source : server.sources) text += "- " + source + "\n";
  return text;
}

}  // namespace stepcast

#include "topologies/cluster_json.hpp"

#include <nlohmann/json.hpp>

#include "topologies/changes_json.hpp"
#include "topologies/cluster_summary.hpp"
#include "topologies/graph_json.hpp"
#include "topologies/server_json.hpp"

namespace stepcast {

using Json = nlohmann::json;

namespace {

Json derived(const Cluster& cluster) {
  const ClusterSummary summary = summarize(cluster);
  Json vertices = Json::object();
  for (const auto& [kind, count] : summary.vertices) vertices[std::string(name_of(kind))] = count;
  Json tiers = Json::array();
  for (const TierSummary& tier : summary.tiers)
    tiers.push_back({{"tier", name_of(tier.tier)},
                     {"links", tier.links},
                     {"slowest_GBps", gigabytes_per_second(tier.slowest)},
                     {"fastest_GBps", gigabytes_per_second(tier.fastest)},
                     {"latency_us", in_microseconds(tier.latency)}});
  return {{"gpus", summary.gpus},
          {"servers", summary.servers},
          {"nvlink_domains", summary.nvlink_domains},
          {"vertices", std::move(vertices)},
          {"tiers", std::move(tiers)},
          {"bisection_GBps", gigabytes_per_second(summary.bisection)},
          {"warnings", cluster.warnings}};
}

}  // namespace

Json to_json(const Cluster& cluster) {
  Json json{{"format", "stepcast.topology"},
            {"version", 1},
            {"name", cluster.name},
            {"server", to_json(cluster.server)},
            {"derived", derived(cluster)}};
  if (cluster.explicit_graph) {
    json.update(graph_json(cluster.topology));
    return json;
  }
  json["nodes"] = cluster.nodes;
  json["fabric"] = to_json(cluster.fabric);
  if (cluster.changes.gpus > 0) json["gpus"] = cluster.changes.gpus;
  if (Json overrides = to_json(cluster.changes); !overrides.empty())
    json["overrides"] = std::move(overrides);
  return json;
}

}  // namespace stepcast

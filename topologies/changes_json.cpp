#include "topologies/changes_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/json_text.hpp"
#include "topologies/fabric.hpp"
#include "topologies/server_json.hpp"

namespace stepcast {

using Json = nlohmann::json;

namespace {

const std::vector<std::string>& tiers() {
  static const std::vector<std::string> names{"nvlink", "pcie", "nic", "spine", "core"};
  return names;
}

// An index below `count`; 0 and a problem otherwise.
std::int64_t index_below(const Node& value, std::int64_t count, const std::string& what) {
  const std::int64_t index = value.as_integer();
  if (index >= 0 && index < count) return index;
  value.problem(
      fmt::format("must be one of the {} {}, 0 to {}, found {}", count, what, count - 1, index));
  return 0;
}

struct Ends {
  std::int64_t count = 0;
  std::string name;
};

// The lower ends of a tier's links: of one server, or of the whole fabric.
Ends ends_of(LinkTier tier, const ServerSpec& server, std::int64_t nodes,
             const FabricSpec& fabric) {
  const bool network = nodes > 1 && server.nics > 0;
  const FabricShape shape = network ? shape_of(fabric, server, nodes) : FabricShape{};
  switch (tier) {
    case LinkTier::nvlink: return {server.nvlink_domain_gpus > 1 ? server.gpus : 0, "GPUs"};
    case LinkTier::pcie: return {server.gpus, "GPUs"};
    case LinkTier::nic: return {network ? server.nics : 0, "NICs"};
    case LinkTier::spine: return {shape.spines() > 0 ? shape.leaves() : 0, "leaves"};
    case LinkTier::core: return {shape.cores() > 0 ? shape.spines() : 0, "spine switches"};
  }
  return {};
}

SlowLink parse_slow_link(const Node& node, const ServerSpec& server, std::int64_t nodes,
                         const FabricSpec& fabric) {
  SlowLink slow;
  if (!node.has("tier")) node.problem("tier", "missing");
  const std::string tier = node.choice("tier", tiers(), "nvlink");
  slow.tier =
      static_cast<LinkTier>(std::find(tiers().begin(), tiers().end(), tier) - tiers().begin());
  const Ends ends = ends_of(slow.tier, server, nodes, fabric);
  if (ends.count == 0) node.problem("tier", "this cluster has no links of tier " + tier);
  if (slow.tier != LinkTier::spine && slow.tier != LinkTier::core)
    slow.node = index_below(node.at("node"), nodes, "servers");
  if (const auto local = node.find("local"); local && ends.count > 0)
    slow.local = index_below(*local, ends.count, ends.name);
  slow.factor = node.number("factor");
  if (!(slow.factor >= 0.0 && slow.factor <= 1.0)) {
    node.problem("factor",
                 "must be within 0 (dead) and 1, found " + shown(node.at("factor").json()));
    slow.factor = 1.0;
  }
  node.finish();
  return slow;
}

std::int64_t count_up_to(const Node& node, const std::string& key, std::int64_t fallback,
                         std::int64_t most) {
  const std::int64_t count = node.count(key, fallback);
  if (count <= most) return count;
  node.problem(key, fmt::format("must be at most {}, found {}", most, count));
  return fallback;
}

void override_gpus(const Node& overrides, ServerSpec& server) {
  const bool one_domain = server.nvlink_domain_gpus == server.gpus;
  const std::int64_t domain = server.nvlink_domain_gpus;
  server.gpus = count_up_to(overrides, "gpus_per_node", server.gpus, most_gpus);
  if (domain > 1 && (one_domain || domain > server.gpus)) server.nvlink_domain_gpus = server.gpus;
  if (server.gpus % server.nvlink_domain_gpus == 0) return;
  overrides.problem("gpus_per_node",
                    fmt::format("must be a multiple of the {} GPUs of an NVLink domain, found {}",
                                domain, server.gpus));
  server.nvlink_domain_gpus = server.gpus;
}

void override_nics(const Node& overrides, ServerSpec& server) {
  if (!overrides.has("nics")) return;
  const bool own_rails = server.rails == 0 || server.rails == server.nics;
  server.nics = count_up_to(overrides, "nics", server.nics, most_nics_per_gpu * server.gpus);
  server.rails = own_rails ? 0 : std::min(server.rails, server.nics);
  if (server.nics == 0 || server.nic_bandwidth.value() > 0.0) return;
  overrides.problem("nic_bandwidth_GBps", "missing: this server has no NIC to take it from");
  server.nic_bandwidth = server.pcie_bandwidth;
}

}  // namespace

void apply_server_overrides(const Node& overrides, ServerSpec& server) {
  const auto rate = [&](const char* key, BytesPerSecond& value) {
    if (overrides.has(key)) value = parse_rate(overrides, key);
  };
  override_gpus(overrides, server);
  rate("nic_bandwidth_GBps", server.nic_bandwidth);
  override_nics(overrides, server);
  rate("nvlink_bandwidth_GBps", server.nvlink_bandwidth);
  rate("pcie_bandwidth_GBps", server.pcie_bandwidth);
  server.nvlink_latency = parse_latency(overrides, "nvlink_latency_us", server.nvlink_latency);
  server.pcie_latency = parse_latency(overrides, "pcie_latency_us", server.pcie_latency);
  if (overrides.has("gpu_memory_GiB"))
    server.gpu_memory = parse_memory(overrides, "gpu_memory_GiB", gibibytes(1.0));
}

Changes parse_changes(const Node& overrides, const ServerSpec& server, std::int64_t nodes,
                      const FabricSpec& fabric) {
  Changes changes;
  if (const auto dead = overrides.find("dead_nodes")) {
    for (const Node& node : dead->elements())
      changes.dead_nodes.push_back(index_below(node, nodes, "servers"));
    std::sort(changes.dead_nodes.begin(), changes.dead_nodes.end());
    auto& list = changes.dead_nodes;
    list.erase(std::unique(list.begin(), list.end()), list.end());
    if (static_cast<std::int64_t>(list.size()) == nodes) {
      dead->problem("no server is left");
      list.clear();
    }
  }
  if (const auto slow = overrides.find("slow_links"))
    for (const Node& node : slow->elements())
      changes.slow_links.push_back(parse_slow_link(node, server, nodes, fabric));
  return changes;
}

Json to_json(const Changes& changes) {
  Json json = Json::object();
  if (!changes.dead_nodes.empty()) json["dead_nodes"] = changes.dead_nodes;
  for (const SlowLink& slow : changes.slow_links) {
    Json entry{{"tier", name_of(slow.tier)}, {"factor", slow.factor}};
    if (slow.tier != LinkTier::spine && slow.tier != LinkTier::core) entry["node"] = slow.node;
    if (slow.local) entry["local"] = *slow.local;
    json["slow_links"].push_back(std::move(entry));
  }
  return json;
}

}  // namespace stepcast

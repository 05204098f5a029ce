#include "topologies/graph_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "topologies/graph_sketch.hpp"
#include "topologies/server_json.hpp"

namespace stepcast {

using Json = nlohmann::json;

namespace {

constexpr int vertex_kinds = 8;

template <class Kind>
std::vector<std::string> names_of_all(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.emplace_back(name_of(static_cast<Kind>(i)));
  return names;
}

bool in_server(VertexKind kind) {
  return kind != VertexKind::leaf && kind != VertexKind::spine && kind != VertexKind::core;
}

bool on_nvlink(VertexKind kind) { return kind == VertexKind::gpu || kind == VertexKind::nvswitch; }

struct TierRule {
  bool holds = false;
  const char* text = "";
};

TierRule tier_rule(LinkTier tier, const Vertex& a, const Vertex& b) {
  const bool outside = !in_server(a.kind) && !in_server(b.kind);
  const auto ends_at_nic = [](VertexKind nic, VertexKind other) {
    return nic == VertexKind::nic && (other == VertexKind::nic || !in_server(other));
  };
  switch (tier) {
    case LinkTier::nvlink:
      return {on_nvlink(a.kind) && on_nvlink(b.kind), "joins gpu and nvswitch vertices"};
    case LinkTier::pcie:
      return {in_server(a.kind) && in_server(b.kind) && a.node == b.node, "stays inside one node"};
    case LinkTier::nic:
      return {ends_at_nic(a.kind, b.kind) || ends_at_nic(b.kind, a.kind),
              "joins a nic to a leaf, spine or core, or to another nic"};
    case LinkTier::spine:
    case LinkTier::core: return {outside, "joins leaf, spine and core vertices"};
  }
  return {};
}

// Reads into a sketch; remembers whether anything was wrong.
class GraphParser {
 public:
  void vertex(const Node& node) {
    const std::string name = node.text("name");
    const auto kind = choice<VertexKind>(node, "kind", vertex_kinds);
    const std::int64_t number = node.integer("node", 0);
    if (number < 0 || number >= most_gpus)
      return fail(
          node, "node",
          fmt::format("must be a whole number within 0 and {}, found {}", most_gpus - 1, number));
    node.finish();
    const std::int64_t server = in_server(kind) ? number : 0;
    const std::int64_t local = count_[{kind, server}]++;
    if (!ids_.emplace(name, sketch.add(kind, server, local)).second)
      fail(node, "name", "\"" + name + "\" is already taken by another vertex");
    names_.push_back(name);
  }

  void link(const Node& node) {
    Link link{end(node, "from"), end(node, "to"), choice<LinkTier>(node, "tier", link_tier_count),
              parse_rate(node, "bandwidth_GBps"), parse_latency(node, "latency_us", Seconds{})};
    if (!node.has("latency_us")) node.problem("latency_us", "missing");
    const bool both = node.boolean("bidirectional", true);
    node.finish();
    if (!good) return;
    if (link.from == link.to) return fail(node, "to", "must be another vertex than from");
    const Vertex& from = sketch.vertices[link.from.index];
    const Vertex& to = sketch.vertices[link.to.index];
    if (const TierRule rule = tier_rule(link.tier, from, to); !rule.holds)
      return fail(
          node, "tier",
          fmt::format("{} {}, found {} ({}) to {} ({})", name_of(link.tier), rule.text,
                      node.text("from"), name_of(from.kind), node.text("to"), name_of(to.kind)));
    sketch.links.push_back(link);
    std::swap(link.from, link.to);
    if (both) sketch.links.push_back(link);
  }

  GraphSketch sketch;
  bool good = true;

 private:
  void fail(const Node& node, const std::string& key, const std::string& message) {
    node.problem(key, message);
    good = false;
  }

  // One of the first `count` values of an enumeration, by name.
  template <class Kind>
  Kind choice(const Node& node, const std::string& key, int count) {
    const std::vector<std::string> names = names_of_all<Kind>(count);
    if (!node.has(key)) fail(node, key, "missing");
    const std::string name = node.choice(key, names, "");
    const auto found = std::find(names.begin(), names.end(), name);
    good = good && found != names.end();
    return found == names.end() ? Kind{} : static_cast<Kind>(found - names.begin());
  }

  VertexId end(const Node& node, const std::string& key) {
    const std::string name = node.text(key);
    const auto found = ids_.find(name);
    if (found != ids_.end()) return found->second;
    const std::string hint = nearest(name, names_);
    if (node.has(key))
      fail(
          node, key,
          "no vertex \"" + name + "\"" + (hint.empty() ? "" : " (did you mean \"" + hint + "\"?)"));
    good = false;
    return VertexId{};
  }

  std::map<std::string, VertexId> ids_;
  std::vector<std::string> names_;
  std::map<std::pair<VertexKind, std::int64_t>, std::int64_t> count_;
};

// The rate of a vertex's links of one tier, together.
BytesPerSecond rate_out(const Topology& topology, VertexId vertex, LinkTier tier) {
  BytesPerSecond sum;
  for (const Link& link : topology.links())
    if (link.from == vertex && link.tier == tier) sum += link.bandwidth;
  return sum;
}

std::int64_t largest(const std::map<std::uint32_t, std::int64_t>& counts) {
  std::int64_t most = 0;
  for (const auto& [key, count] : counts) most = std::max(most, count);
  return most;
}

void describe_server(const Topology& topology, ServerSpec& server) {
  std::map<std::uint32_t, std::int64_t> gpus, nics, domains;
  std::optional<VertexId> first_nic;
  for (std::uint32_t i = 0; i < topology.vertices().size(); ++i) {
    const Vertex& vertex = topology.vertices()[i];
    if (vertex.kind == VertexKind::gpu) ++gpus[vertex.node];
    if (vertex.kind != VertexKind::nic) continue;
    ++nics[vertex.node];
    if (!first_nic) first_nic = VertexId{i};
  }
  for (std::uint32_t i = 0; i < topology.gpu_count(); ++i)
    ++domains[topology.nvlink_domain_of(GpuId{i})];
  server.gpus = largest(gpus);
  server.nics = largest(nics);
  server.rails = 0;
  server.nvlink_domain_gpus = largest(domains);
  const VertexId gpu = topology.vertex_of(GpuId{0});
  const BytesPerSecond none;
  if (const auto rate = rate_out(topology, gpu, LinkTier::nvlink); rate > none)
    server.nvlink_bandwidth = rate;
  if (const auto rate = rate_out(topology, gpu, LinkTier::pcie); rate > none)
    server.pcie_bandwidth = rate;
  if (!first_nic) return;
  if (const auto rate = rate_out(topology, *first_nic, LinkTier::nic); rate > none)
    server.nic_bandwidth = rate;
}

bool connected(const Topology& topology, GpuId from, GpuId to) {
  try {
    return from == to || !topology.route(from, to).empty();
  } catch (const std::domain_error&) {
    return false;
  }
}

bool is_reverse(const Link& a, const Link& b) {
  return a.from == b.to && a.to == b.from && a.tier == b.tier && a.bandwidth == b.bandwidth &&
         a.latency == b.latency;
}

}  // namespace

std::optional<Cluster> parse_graph(const Node& node, ServerSpec server) {
  GraphParser parser;
  for (const Node& vertex : node.at("vertices").elements()) parser.vertex(vertex);
  for (const Node& link : node.at("links").elements()) parser.link(link);
  const auto& vertices = parser.sketch.vertices;
  if (parser.good && std::none_of(vertices.begin(), vertices.end(), [](const Vertex& vertex) {
        return vertex.kind == VertexKind::gpu;
      })) {
    if (node.has("vertices")) node.problem("vertices", "need a vertex of kind gpu");
    return std::nullopt;
  }
  if (!parser.good) return std::nullopt;
  Topology topology = finished(std::move(parser.sketch));
  if (const std::string missing = missing_path(topology); !missing.empty()) {
    node.problem("links", missing);
    return std::nullopt;
  }
  describe_server(topology, server);
  const auto nodes = static_cast<std::int64_t>(topology.node_count());
  FabricSpec fabric = server.fabric;
  return Cluster{.name = server.name + " graph",
                 .server = std::move(server),
                 .nodes = nodes,
                 .fabric = fabric,
                 .topology = std::move(topology),
                 .warnings = {},
                 .changes = {},
                 .explicit_graph = true};
}

std::string vertex_name(const Vertex& vertex) {
  const std::string own = std::string(name_of(vertex.kind)) + std::to_string(vertex.local);
  return in_server(vertex.kind) ? "node" + std::to_string(vertex.node) + "." + own : own;
}

std::string missing_path(const Topology& topology) {
  const GpuId first{0};
  const auto named = [&](GpuId gpu) {
    return vertex_name(topology.vertices()[topology.vertex_of(gpu).index]);
  };
  for (std::uint32_t i = 1; i < topology.gpu_count(); ++i) {
    const GpuId gpu{i};
    if (!connected(topology, first, gpu))
      return "no path from " + named(first) + " to " + named(gpu);
    if (!connected(topology, gpu, first))
      return "no path from " + named(gpu) + " to " + named(first);
  }
  return "";
}

Json graph_json(const Topology& topology) {
  Json vertices = Json::array();
  for (const Vertex& vertex : topology.vertices()) {
    Json entry{{"name", vertex_name(vertex)}, {"kind", name_of(vertex.kind)}};
    if (in_server(vertex.kind)) entry["node"] = vertex.node;
    vertices.push_back(std::move(entry));
  }
  Json links = Json::array();
  const auto name = [&](VertexId id) { return vertex_name(topology.vertices()[id.index]); };
  const std::vector<Link>& all = topology.links();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool both = i + 1 < all.size() && is_reverse(all[i], all[i + 1]);
    links.push_back({{"from", name(all[i].from)},
                     {"to", name(all[i].to)},
                     {"tier", name_of(all[i].tier)},
                     {"bandwidth_GBps", gigabytes_per_second(all[i].bandwidth)},
                     {"latency_us", in_microseconds(all[i].latency)},
                     {"bidirectional", both}});
    if (both) ++i;
  }
  return {{"vertices", std::move(vertices)}, {"links", std::move(links)}};
}

}  // namespace stepcast

#include "topologies/cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "common/files.hpp"
#include "topologies/fabric.hpp"
#include "topologies/graph_sketch.hpp"
#include "topologies/server_graph.hpp"
#include "topologies/server_json.hpp"

namespace stepcast {

const std::vector<EmbeddedFile>& embedded_servers();

namespace {

void require(bool holds, const char* message) {
  if (!holds) throw std::invalid_argument(message);
}

void check(const ServerSpec& server, std::int64_t nodes, const FabricSpec& fabric) {
  require(nodes >= 1, "a cluster needs a server");
  require(server.gpus >= 1 && server.nics >= 0, "a server needs a GPU, and NICs >= 0");
  require(nodes == 1 || server.nics >= 1, "servers without NICs cannot form a cluster");
  require(fabric.nodes_per_leaf >= 1 && fabric.leaves_per_pod >= 1 && fabric.switch_ports >= 1,
          "a fabric's counts are >= 1");
  require(fabric.oversubscription > 0.0, "oversubscription must be > 0");
}

// The end by which a link of a tier is named in SlowLink.
VertexKind lower_end(LinkTier tier) {
  switch (tier) {
    case LinkTier::nvlink: return VertexKind::gpu;
    case LinkTier::pcie: return VertexKind::gpu;
    case LinkTier::nic: return VertexKind::nic;
    case LinkTier::spine: return VertexKind::leaf;
    case LinkTier::core: return VertexKind::spine;
  }
  return VertexKind::gpu;
}

void slow_down(GraphSketch& sketch, const SlowLink& slow) {
  const bool in_server = slow.tier != LinkTier::spine && slow.tier != LinkTier::core;
  const auto is_named = [&](VertexId id) {
    const Vertex& vertex = sketch.vertices[id.index];
    return vertex.kind == lower_end(slow.tier) && (!in_server || vertex.node == slow.node) &&
           (!slow.local || vertex.local == *slow.local);
  };
  const auto concerns = [&](const Link& link) {
    return link.tier == slow.tier && (is_named(link.from) || is_named(link.to));
  };
  require(std::any_of(sketch.links.begin(), sketch.links.end(), concerns),
          "a slow link names no link of the cluster");
  for (Link& link : sketch.links)
    if (concerns(link)) link.bandwidth = link.bandwidth * slow.factor;
  if (slow.factor == 0.0)
    std::erase_if(sketch.links, [](const Link& link) { return link.bandwidth.value() == 0.0; });
}

GraphSketch sketch_of(const ServerSpec& server, std::int64_t nodes, const FabricSpec& fabric,
                      const Changes& changes) {
  GraphSketch sketch;
  std::vector<VertexId> nics;
  const auto dead = [&](std::int64_t node) {
    return std::count(changes.dead_nodes.begin(), changes.dead_nodes.end(), node) > 0;
  };
  std::int64_t left = changes.gpus > 0 ? changes.gpus : nodes * server.gpus;
  for (std::int64_t node = 0; node < nodes && left > 0; ++node) {
    if (dead(node)) continue;
    const std::int64_t used = std::min(left, server.gpus);
    for (const VertexId nic : add_server(sketch, server, node, used)) nics.push_back(nic);
    left -= used;
  }
  require(left == 0 || changes.gpus == 0, "more GPUs in use than live servers have");
  if (nodes > 1) add_fabric(sketch, fabric, server, nodes, nics);
  for (const SlowLink& slow : changes.slow_links) slow_down(sketch, slow);
  return sketch;
}

std::vector<std::string> warnings_of(const ServerSpec& server, std::int64_t nodes,
                                     const FabricSpec& fabric) {
  std::vector<std::string> warnings;
  if (nodes > 1) {
    warnings = fabric_warnings(fabric, shape_of(fabric, server, nodes));
    if (server.nic_bandwidth > server.pcie_bandwidth)
      warnings.push_back(fmt::format(
          "a NIC's {:g} GB/s do not fit through its PCIe port's {:g} GB/s: the port is the limit",
          server.nic_bandwidth.value() * 1e-9, server.pcie_bandwidth.value() * 1e-9));
  }
  return warnings;
}

}  // namespace

Cluster build_cluster(ServerSpec server, std::int64_t nodes, FabricSpec fabric, Changes changes) {
  check(server, nodes, fabric);
  Topology topology = finished(sketch_of(server, nodes, fabric, changes));
  std::vector<std::string> warnings = warnings_of(server, nodes, fabric);
  std::string name = server.name + ":" + std::to_string(nodes);
  return Cluster{.name = std::move(name),
                 .server = std::move(server),
                 .nodes = nodes,
                 .fabric = fabric,
                 .topology = std::move(topology),
                 .warnings = std::move(warnings),
                 .changes = std::move(changes)};
}

std::vector<std::string> server_presets() { return names_of(embedded_servers()); }

ServerSpec server_preset(const std::string& name) {
  const auto text = find_embedded(embedded_servers(), name);
  if (!text) throw InputError(Problem{"", "", no_server_preset(name)});
  JsonReader reader(name + ".json", std::string(*text));
  ServerSpec server = parse_server(reader.root());
  reader.throw_if_problems();
  return server;
}

}  // namespace stepcast

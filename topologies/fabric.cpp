#include "topologies/fabric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace stepcast {
namespace {

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return a / b + (a % b == 0 ? 0 : 1); }

std::int64_t rails_of(const ServerSpec& server) {
  return server.rails > 0 ? std::min(server.rails, server.nics) : server.nics;
}

// As few switches of `ports` ports as take `links` links, at least one, at most one per uplink.
std::int64_t switches_for(std::int64_t links, std::int64_t ports, std::int64_t uplinks) {
  return std::clamp<std::int64_t>(divided_up(links, ports), 1, uplinks);
}

// Switches of one kind, added one after the other.
class Switches {
 public:
  Switches(GraphSketch& sketch, VertexKind kind, std::int64_t count)
      : first_(static_cast<std::uint32_t>(sketch.vertices.size())) {
    for (std::int64_t i = 0; i < count; ++i) sketch.add(kind, 0, i);
  }
  [[nodiscard]] VertexId at(std::int64_t index) const {
    return VertexId{first_ + static_cast<std::uint32_t>(index)};
  }

 private:
  std::uint32_t first_;
};

}  // namespace

std::string_view name_of(FabricKind kind) {
  constexpr std::array<std::string_view, 4> names{"single_switch", "leaf_spine", "rail_optimized",
                                                  "three_level_fat_tree"};
  return names.at(static_cast<std::size_t>(kind));
}

FabricShape shape_of(const FabricSpec& fabric, const ServerSpec& server, std::int64_t nodes) {
  FabricShape shape;
  const bool single = fabric.kind == FabricKind::single_switch;
  shape.nodes_per_group = single ? nodes : std::min(fabric.nodes_per_leaf, nodes);
  shape.groups = divided_up(nodes, shape.nodes_per_group);
  if (fabric.kind == FabricKind::rail_optimized) shape.leaves_per_group = rails_of(server);
  const std::int64_t downlinks =
      shape.nodes_per_group * divided_up(server.nics, shape.leaves_per_group);
  shape.leaf_ports = downlinks;
  if (shape.leaves() == 1) return shape;

  const auto uplinks = static_cast<std::int64_t>(
      std::ceil(static_cast<double>(downlinks) / fabric.oversubscription));
  const BytesPerSecond leaf_up =
      server.nic_bandwidth * static_cast<double>(downlinks) / fabric.oversubscription;
  shape.leaf_ports += uplinks;
  std::int64_t leaves_below = shape.leaves();
  std::int64_t ports_below = fabric.switch_ports;
  if (fabric.kind == FabricKind::three_level_fat_tree && shape.leaves() > fabric.leaves_per_pod) {
    shape.pods = divided_up(shape.leaves(), fabric.leaves_per_pod);
    leaves_below = fabric.leaves_per_pod;
    ports_below = std::max<std::int64_t>(fabric.switch_ports / 2, 1);  // the other half goes up
  }
  shape.spines_per_pod = switches_for(leaves_below * uplinks, ports_below, uplinks);
  shape.spine_link = leaf_up / static_cast<double>(shape.spines_per_pod);
  shape.spine_ports = divided_up(leaves_below * uplinks, shape.spines_per_pod);
  if (shape.pods > 1) {
    const std::int64_t spine_up = shape.spine_ports;
    shape.spine_ports += spine_up;
    shape.cores_per_spine = switches_for(shape.pods * spine_up, fabric.switch_ports, spine_up);
    shape.core_link = shape.spine_link * static_cast<double>(leaves_below) /
                      static_cast<double>(shape.cores_per_spine);
  }
  return shape;
}

void add_fabric(GraphSketch& sketch, const FabricSpec& fabric, const ServerSpec& server,
                std::int64_t nodes, const std::vector<VertexId>& nics) {
  const FabricShape shape = shape_of(fabric, server, nodes);
  const Switches leaves(sketch, VertexKind::leaf, shape.leaves());
  const Switches spines(sketch, VertexKind::spine, shape.spines());
  const Switches cores(sketch, VertexKind::core, shape.cores());
  for (const VertexId nic : nics) {
    const Vertex vertex = sketch.vertices[nic.index];
    const std::int64_t group = vertex.node / shape.nodes_per_group;
    const std::int64_t rail = vertex.local % shape.leaves_per_group;
    sketch.connect(nic, leaves.at(group * shape.leaves_per_group + rail), LinkTier::nic,
                   server.nic_bandwidth, fabric.hop_latency);
  }
  for (std::int64_t leaf = 0; leaf < shape.leaves(); ++leaf) {
    const std::int64_t pod = shape.pods == 1 ? 0 : leaf / fabric.leaves_per_pod;
    for (std::int64_t i = 0; i < shape.spines_per_pod; ++i)
      sketch.connect(leaves.at(leaf), spines.at(pod * shape.spines_per_pod + i), LinkTier::spine,
                     shape.spine_link, fabric.hop_latency);
  }
  // Spine i of every pod reaches the same core switches.
  for (std::int64_t spine = 0; spine < shape.spines(); ++spine) {
    const std::int64_t plane = spine % shape.spines_per_pod;
    for (std::int64_t i = 0; i < shape.cores_per_spine; ++i)
      sketch.connect(spines.at(spine), cores.at(plane * shape.cores_per_spine + i), LinkTier::core,
                     shape.core_link, fabric.hop_latency);
  }
}

std::vector<std::string> fabric_warnings(const FabricSpec& fabric, const FabricShape& shape) {
  std::vector<std::string> warnings;
  if (fabric.kind == FabricKind::single_switch) return warnings;
  const auto warn = [&](std::string_view what, std::int64_t ports, std::string_view remedy) {
    if (ports > fabric.switch_ports)
      warnings.push_back(fmt::format(
          "a {} of this fabric uses {} ports and one switch has {}: it stands for several chained "
          "ones, with their bandwidth but not their extra hops; {}",
          what, ports, fabric.switch_ports, remedy));
  };
  warn("leaf", shape.leaf_ports, "lower fabric.nodes_per_leaf or set fabric.switch_ports");
  warn("spine switch", shape.spine_ports,
       "set fabric.kind to three_level_fat_tree, or fabric.switch_ports");
  return warnings;
}

}  // namespace stepcast

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topologies/cluster.hpp"
#include "topologies/graph_sketch.hpp"

namespace stepcast {

[[nodiscard]] std::string_view name_of(FabricKind kind);

// How many switches a fabric has and how fast its links are. Bandwidths follow from
// oversubscription exactly; switch counts from the ports of one switch, as builders count them:
// a leaf's downlinks are those of a full group, uplinks = downlinks / oversubscription, and spine
// and core switches are as few as have ports for all the links that come up (at most one per
// uplink, so that every leaf reaches every spine of its pod).
struct FabricShape {
  std::int64_t nodes_per_group = 1;  // servers that share leaves
  std::int64_t groups = 1;
  std::int64_t leaves_per_group = 1;
  std::int64_t pods = 1;  // 1 without a core
  std::int64_t spines_per_pod = 0;
  std::int64_t cores_per_spine = 0;  // core switches that a spine switch reaches
  BytesPerSecond spine_link;
  BytesPerSecond core_link;
  std::int64_t leaf_ports = 0;   // used on a leaf, both ways
  std::int64_t spine_ports = 0;  // used on a spine switch

  [[nodiscard]] std::int64_t leaves() const { return groups * leaves_per_group; }
  [[nodiscard]] std::int64_t spines() const { return pods * spines_per_pod; }
  [[nodiscard]] std::int64_t cores() const { return spines_per_pod * cores_per_spine; }
};

// Precondition: nodes > 1, server.nics > 0.
[[nodiscard]] FabricShape shape_of(const FabricSpec& fabric, const ServerSpec& server,
                                   std::int64_t nodes);

// Adds the switches and joins the NICs (of all servers, `nics` as add_server returned them).
void add_fabric(GraphSketch& sketch, const FabricSpec& fabric, const ServerSpec& server,
                std::int64_t nodes, const std::vector<VertexId>& nics);

// What a builder could not cable as described; bandwidths hold all the same.
[[nodiscard]] std::vector<std::string> fabric_warnings(const FabricSpec& fabric,
                                                       const FabricShape& shape);

}  // namespace stepcast

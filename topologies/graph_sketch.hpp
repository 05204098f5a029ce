#pragma once

#include <cstdint>
#include <vector>

#include "topologies/topology.hpp"

namespace stepcast {

// A cluster graph while it is being put together.
struct GraphSketch {
  std::vector<Vertex> vertices;
  std::vector<Link> links;

  VertexId add(VertexKind kind, std::int64_t node, std::int64_t local);
  // One link each way.
  void connect(VertexId a, VertexId b, LinkTier tier, BytesPerSecond bandwidth, Seconds latency);
};

// NVLink domain of each GPU, in GPU order: GPUs joined by NVLink share one, numbered by first GPU;
// a GPU without NVLink has its own.
[[nodiscard]] std::vector<std::uint32_t> nvlink_domains(const GraphSketch& sketch);

// Checks and freezes. Throws as Topology does.
[[nodiscard]] Topology finished(GraphSketch sketch);

}  // namespace stepcast

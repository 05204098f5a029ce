#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/id.hpp"
#include "common/units.hpp"

namespace stepcast {

using VertexId = Id<struct VertexTag>;
using LinkId = Id<struct LinkTag>;
using GpuId = Id<struct GpuTag>;  // 0 .. gpu_count - 1, node by node in local order

enum class VertexKind { gpu, nvswitch, pcie_switch, cpu, nic, leaf, spine, core };
// What a directed link belongs to: inside the NVLink domain, inside the server, NIC to leaf (the
// server's way out), leaf to spine, spine to core.
enum class LinkTier { nvlink, pcie, nic, spine, core };
inline constexpr int link_tier_count = 5;
[[nodiscard]] std::string_view name_of(VertexKind kind);
[[nodiscard]] std::string_view name_of(LinkTier tier);

struct Vertex {
  VertexKind kind = VertexKind::gpu;
  std::uint32_t node = 0;   // server; of a switch outside servers: 0
  std::uint32_t local = 0;  // index among its kind in the server or fabric
};

struct Link {
  VertexId from, to;
  LinkTier tier = LinkTier::nvlink;
  BytesPerSecond bandwidth;  // one direction
  Seconds latency;
};

// Share of a flow that a link carries under ideal equal-cost multi-path.
struct LinkShare {
  LinkId link;
  double share = 1.0;
};

// A checked, immutable cluster graph (Boost.Graph inside); copies share it. Every link is directed;
// generators add both directions.
class Topology {
 public:
  // nvlink_domain: one number per GPU, in GPU order. Throws std::invalid_argument if a link end
  // does not exist, a link has no bandwidth, no GPU exists, or nvlink_domain has another size.
  Topology(std::vector<Vertex> vertices, std::vector<Link> links,
           std::vector<std::uint32_t> nvlink_domain);

  [[nodiscard]] std::uint32_t gpu_count() const;
  [[nodiscard]] std::uint32_t node_count() const;
  [[nodiscard]] VertexId vertex_of(GpuId gpu) const;
  [[nodiscard]] std::uint32_t node_of(GpuId gpu) const;
  [[nodiscard]] std::uint32_t nvlink_domain_of(GpuId gpu) const;
  [[nodiscard]] const std::vector<Vertex>& vertices() const;
  [[nodiscard]] const std::vector<Link>& links() const;
  [[nodiscard]] const Link& link(LinkId id) const;

  // Shortest path (fewest links; inside an NVLink domain over NVLink only), spread evenly over
  // equal-cost alternatives hop by hop, links in the order in which they are crossed. In a server
  // without NVLink: over PCIe and CPUs. Between servers: to the NIC nearest to the GPU (several at
  // equal distance share), through switches only, and in by the NIC nearest to the other GPU; never
  // through another GPU. Empty when from == to. Throws std::domain_error when not connected.
  // Results are cached and stay valid; calls are thread-safe.
  [[nodiscard]] const std::vector<LinkShare>& route(GpuId from, GpuId to) const;
  [[nodiscard]] Seconds latency(GpuId from, GpuId to) const;  // sum over one shortest path

 private:
  struct Graph;
  std::shared_ptr<Graph> graph_;
};

}  // namespace stepcast

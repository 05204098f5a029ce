#include "topologies/graph_sketch.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace stepcast {
namespace {

// Sets of vertices that grow together; each is named by one member.
class Groups {
 public:
  explicit Groups(std::size_t size) : parent_(size) {
    std::iota(parent_.begin(), parent_.end(), std::uint32_t{0});
  }
  std::uint32_t find(std::uint32_t member) {
    while (parent_[member] != member) member = parent_[member] = parent_[parent_[member]];
    return member;
  }
  void join(std::uint32_t a, std::uint32_t b) { parent_[find(a)] = find(b); }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace

VertexId GraphSketch::add(VertexKind kind, std::int64_t node, std::int64_t local) {
  vertices.push_back({kind, static_cast<std::uint32_t>(node), static_cast<std::uint32_t>(local)});
  return VertexId{static_cast<std::uint32_t>(vertices.size() - 1)};
}

void GraphSketch::connect(VertexId a, VertexId b, LinkTier tier, BytesPerSecond bandwidth,
                          Seconds latency) {
  links.push_back({a, b, tier, bandwidth, latency});
  links.push_back({b, a, tier, bandwidth, latency});
}

std::vector<std::uint32_t> nvlink_domains(const GraphSketch& sketch) {
  Groups groups(sketch.vertices.size());
  for (const Link& link : sketch.links)
    if (link.tier == LinkTier::nvlink) groups.join(link.from.index, link.to.index);
  std::vector<std::pair<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>> gpus;
  for (std::uint32_t i = 0; i < sketch.vertices.size(); ++i) {
    const Vertex& vertex = sketch.vertices[i];
    if (vertex.kind == VertexKind::gpu) gpus.push_back({{vertex.node, vertex.local}, i});
  }
  std::sort(gpus.begin(), gpus.end());
  std::map<std::uint32_t, std::uint32_t> numbers;
  std::vector<std::uint32_t> domains;
  domains.reserve(gpus.size());
  for (const auto& [place, index] : gpus) {
    const auto next = static_cast<std::uint32_t>(numbers.size());
    domains.push_back(numbers.try_emplace(groups.find(index), next).first->second);
  }
  return domains;
}

Topology finished(GraphSketch sketch) {
  for (const Link& link : sketch.links)
    if (link.from.index >= sketch.vertices.size() || link.to.index >= sketch.vertices.size())
      throw std::invalid_argument("a link ends at a vertex that does not exist");
  auto domains = nvlink_domains(sketch);
  return Topology(std::move(sketch.vertices), std::move(sketch.links), std::move(domains));
}

}  // namespace stepcast

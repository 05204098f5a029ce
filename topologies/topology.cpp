#include "topologies/topology.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <tuple>
#include <unordered_map>

#include "topologies/router.hpp"

namespace stepcast {

std::string_view name_of(VertexKind kind) {
  constexpr std::array<std::string_view, 8> names{"gpu", "nvswitch", "pcie_switch", "cpu",
                                                  "nic", "leaf",     "spine",       "core"};
  return names.at(static_cast<std::size_t>(kind));
}

std::string_view name_of(LinkTier tier) {
  constexpr std::array<std::string_view, link_tier_count> names{"nvlink", "pcie", "nic", "spine",
                                                                "core"};
  return names.at(static_cast<std::size_t>(tier));
}

namespace {

std::vector<VertexId> gpus_in_order(const std::vector<Vertex>& vertices) {
  std::vector<VertexId> gpus;
  for (std::uint32_t i = 0; i < vertices.size(); ++i)
    if (vertices[i].kind == VertexKind::gpu) gpus.push_back(VertexId{i});
  const auto place = [&](VertexId id) {
    return std::tuple(vertices[id.index].node, vertices[id.index].local, id.index);
  };
  std::sort(gpus.begin(), gpus.end(), [&](VertexId a, VertexId b) { return place(a) < place(b); });
  return gpus;
}

void check_links(const std::vector<Link>& links, std::size_t vertices) {
  for (const Link& link : links) {
    if (link.from.index >= vertices || link.to.index >= vertices)
      throw std::invalid_argument("a link ends at a vertex that does not exist");
    if (!(link.bandwidth.value() > 0.0) || !(link.latency.value() >= 0.0))
      throw std::invalid_argument("a link needs a bandwidth > 0 and a latency >= 0");
  }
}

}  // namespace

struct Topology::Graph {
  Graph(std::vector<Vertex> vertices_in, std::vector<Link> links_in,
        std::vector<std::uint32_t> domains_in)
      : vertices(std::move(vertices_in)),
        links(std::move(links_in)),
        domains(std::move(domains_in)),
        gpus(gpus_in_order(vertices)) {
    check_links(links, vertices.size());
    if (gpus.empty()) throw std::invalid_argument("a topology needs a GPU");
    if (domains.size() != gpus.size())
      throw std::invalid_argument("every GPU needs its NVLink domain");
    router = std::make_unique<Router>(vertices, links);
  }

  const std::vector<Vertex> vertices;
  const std::vector<Link> links;
  const std::vector<std::uint32_t> domains;
  const std::vector<VertexId> gpus;
  std::shared_mutex mutex;  // guards what follows
  std::unique_ptr<Router> router;
  std::unordered_map<std::uint64_t, std::vector<LinkShare>> routes;  // never walked over
};

Topology::Topology(std::vector<Vertex> vertices, std::vector<Link> links,
                   std::vector<std::uint32_t> nvlink_domain)
    : graph_(std::make_shared<Graph>(std::move(vertices), std::move(links),
                                     std::move(nvlink_domain))) {}

std::uint32_t Topology::gpu_count() const {
  return static_cast<std::uint32_t>(graph_->gpus.size());
}
std::uint32_t Topology::node_count() const {
  return graph_->vertices[graph_->gpus.back().index].node + 1;
}
VertexId Topology::vertex_of(GpuId gpu) const { return graph_->gpus.at(gpu.index); }
std::uint32_t Topology::node_of(GpuId gpu) const {
  return graph_->vertices[vertex_of(gpu).index].node;
}
std::uint32_t Topology::nvlink_domain_of(GpuId gpu) const { return graph_->domains.at(gpu.index); }
const std::vector<Vertex>& Topology::vertices() const { return graph_->vertices; }
const std::vector<Link>& Topology::links() const { return graph_->links; }
const Link& Topology::link(LinkId id) const { return graph_->links.at(id.index); }

const std::vector<LinkShare>& Topology::route(GpuId from, GpuId to) const {
  const VertexId start = vertex_of(from);
  const VertexId end = vertex_of(to);
  const std::uint64_t key = (std::uint64_t{from.index} << 32U) | to.index;
  {
    const std::shared_lock lock(graph_->mutex);
    const auto found = graph_->routes.find(key);
    if (found != graph_->routes.end()) return found->second;
  }
  const std::unique_lock lock(graph_->mutex);
  const auto found = graph_->routes.find(key);
  if (found != graph_->routes.end()) return found->second;
  std::vector<LinkShare> links;
  if (from != to) {
    links = graph_->router->find(start, end, nvlink_domain_of(from) == nvlink_domain_of(to));
    if (links.empty())
      throw std::domain_error("no path from GPU " + std::to_string(from.index) + " to GPU " +
                              std::to_string(to.index));
  }
  return graph_->routes.emplace(key, std::move(links)).first->second;
}

Seconds Topology::latency(GpuId from, GpuId to) const {
  Seconds sum;
  VertexId at = vertex_of(from);
  for (const LinkShare& share : route(from, to)) {
    const Link& next = link(share.link);
    if (next.from != at) continue;
    sum += next.latency;
    at = next.to;
  }
  return sum;
}

}  // namespace stepcast

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>
#include <cmath>
#include <map>
#include <utility>

#include "topologies/cluster.hpp"

namespace stepcast {
namespace {

using Capacity = long long;  // in quanta, so that any sum of capacities fits
using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
// clang-format off
using FlowGraph = boost::adjacency_list<
    boost::vecS, boost::vecS, boost::directedS, boost::no_property,
    boost::property<boost::edge_capacity_t, Capacity,
    boost::property<boost::edge_residual_capacity_t, Capacity,
    boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>>;
// clang-format on

constexpr std::size_t source = 0;
constexpr std::size_t sink = 1;

// Capacities between ordered pairs of vertices; vertex 0 is the source, 1 the sink.
class Flow {
 public:
  void allow(std::size_t from, std::size_t to, Capacity capacity) {
    if (from == to || from == sink || to == source) return;
    capacity_[{from, to}] += capacity;
  }

  // The algorithm needs a reverse of capacity 0 for every edge, also beside an opposite one.
  [[nodiscard]] Capacity maximum() const {
    FlowGraph graph(2);
    for (const auto& [ends, capacity] : capacity_) {
      const auto edge = boost::add_edge(ends.first, ends.second, graph).first;
      const auto back = boost::add_edge(ends.second, ends.first, graph).first;
      boost::put(boost::edge_capacity, graph, edge, capacity);
      boost::put(boost::edge_capacity, graph, back, Capacity{0});
      boost::put(boost::edge_reverse, graph, edge, back);
      boost::put(boost::edge_reverse, graph, back, edge);
    }
    return boost::push_relabel_max_flow(graph, source, sink);
  }

 private:
  std::map<std::pair<std::size_t, std::size_t>, Capacity> capacity_;
};

bool is_network_switch(VertexKind kind) {
  return kind == VertexKind::leaf || kind == VertexKind::spine || kind == VertexKind::core;
}

// The flow vertex of each topology vertex: the source or sink for what belongs to a half, its own
// otherwise.
std::vector<std::size_t> contracted(const Topology& topology) {
  const std::uint32_t gpus = topology.gpu_count();
  const bool single = topology.node_of(GpuId{0}) == topology.node_of(GpuId{gpus - 1});
  std::vector<std::uint32_t> nodes;
  for (std::uint32_t i = 0; i < gpus; ++i)
    if (nodes.empty() || nodes.back() != topology.node_of(GpuId{i}))
      nodes.push_back(topology.node_of(GpuId{i}));
  const std::uint32_t first_of_rest = single ? 0 : nodes[nodes.size() / 2];

  std::vector<std::size_t> ids(topology.vertices().size());
  std::size_t next = 2;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Vertex& vertex = topology.vertices()[i];
    const bool own = single ? vertex.kind != VertexKind::gpu
                            : is_network_switch(vertex.kind) || vertex.kind == VertexKind::nic;
    ids[i] = own ? next++ : vertex.node < first_of_rest ? source : sink;
  }
  if (single)
    for (std::uint32_t i = 0; i < gpus; ++i)
      ids[topology.vertex_of(GpuId{i}).index] = i < gpus / 2 ? source : sink;
  return ids;
}

bool in_one_nvlink_domain(const Topology& topology) {
  for (std::uint32_t i = 1; i < topology.gpu_count(); ++i)
    if (topology.nvlink_domain_of(GpuId{i}) != topology.nvlink_domain_of(GpuId{0})) return false;
  return true;
}

}  // namespace

BytesPerSecond bisection_bandwidth(const Cluster& cluster) {
  const Topology& topology = cluster.topology;
  if (topology.gpu_count() < 2) return BytesPerSecond{};
  const std::vector<std::size_t> ids = contracted(topology);
  const bool nvlink_only = in_one_nvlink_domain(topology);
  double total = 0.0;
  for (const Link& link : topology.links()) total += link.bandwidth.value();
  const double quantum = std::max(1.0, total / 1e18);  // bytes per second
  Flow flow;
  for (const Link& link : topology.links())
    if (!nvlink_only || link.tier == LinkTier::nvlink)
      flow.allow(ids[link.from.index], ids[link.to.index],
                 static_cast<Capacity>(std::llround(link.bandwidth.value() / quantum)));
  return BytesPerSecond{static_cast<double>(flow.maximum()) * quantum};
}

}  // namespace stepcast

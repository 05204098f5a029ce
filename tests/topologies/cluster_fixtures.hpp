#pragma once

#include <map>
#include <string>
#include <vector>

#include "topologies/cluster.hpp"
#include "topologies/graph_json.hpp"

namespace stepcast::test {

// A small server with round numbers: NVLink 100, PCIe 20, NIC 10 GB/s; 1, 2 and 3 us.
inline ServerSpec toy_server(std::int64_t gpus = 4, std::int64_t nics = 4) {
  ServerSpec server;
  server.name = "toy";
  server.gpu = "toy-gpu";
  server.gpus = gpus;
  server.nvlink_domain_gpus = gpus;
  server.nvlink_bandwidth = BytesPerSecond{100e9};
  server.nvlink_latency = microseconds(1.0);
  server.pcie_bandwidth = BytesPerSecond{20e9};
  server.pcie_latency = microseconds(2.0);
  server.nics = nics;
  server.nic_bandwidth = BytesPerSecond{10e9};
  server.gpu_memory = Bytes{1e9};
  server.cpu = "intel";
  return server;
}

inline FabricSpec toy_fabric(FabricKind kind, std::int64_t nodes_per_leaf = 2) {
  FabricSpec fabric;
  fabric.kind = kind;
  fabric.nodes_per_leaf = nodes_per_leaf;
  fabric.hop_latency = microseconds(3.0);
  fabric.switch_ports = 8;
  return fabric;
}

// "node0.gpu0 > node0.nvswitch0 x1", one line per link, in route order.
inline std::vector<std::string> route_text(const Topology& topology, std::uint32_t from,
                                           std::uint32_t to) {
  std::vector<std::string> lines;
  const auto name = [&](VertexId id) { return vertex_name(topology.vertices()[id.index]); };
  for (const LinkShare& share : topology.route(GpuId{from}, GpuId{to})) {
    const Link& link = topology.link(share.link);
    std::string text = std::to_string(share.share);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    lines.push_back(name(link.from) + " > " + name(link.to) + " x" + text);
  }
  return lines;
}

// Flow out of every vertex minus flow into it: 1 at the source, -1 at the sink, 0 elsewhere.
inline std::map<std::uint32_t, double> surplus(const Topology& topology, std::uint32_t from,
                                               std::uint32_t to) {
  std::map<std::uint32_t, double> sum;
  for (const LinkShare& share : topology.route(GpuId{from}, GpuId{to})) {
    sum[topology.link(share.link).from.index] += share.share;
    sum[topology.link(share.link).to.index] -= share.share;
  }
  return sum;
}

inline std::int64_t count(const Topology& topology, VertexKind kind) {
  std::int64_t number = 0;
  for (const Vertex& vertex : topology.vertices()) number += vertex.kind == kind ? 1 : 0;
  return number;
}

}  // namespace stepcast::test

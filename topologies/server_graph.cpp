#include "topologies/server_graph.hpp"

#include <algorithm>

namespace stepcast {
namespace {

struct Server {
  GraphSketch& sketch;
  const ServerSpec& spec;
  std::int64_t node = 0;
  std::vector<VertexId> gpus;

  void connect_pcie(VertexId a, VertexId b) const {
    sketch.connect(a, b, LinkTier::pcie, spec.pcie_bandwidth, spec.pcie_latency);
  }
};

void add_nvlink(Server& server) {
  const ServerSpec& spec = server.spec;
  if (spec.nvlink_domain_gpus <= 1) return;
  VertexId nvswitch;
  for (std::size_t gpu = 0; gpu < server.gpus.size(); ++gpu) {
    const auto number = static_cast<std::int64_t>(gpu);
    if (number % spec.nvlink_domain_gpus == 0)
      nvswitch =
          server.sketch.add(VertexKind::nvswitch, server.node, number / spec.nvlink_domain_gpus);
    server.sketch.connect(server.gpus[gpu], nvswitch, LinkTier::nvlink, spec.nvlink_bandwidth,
                          spec.nvlink_latency);
  }
}

std::vector<VertexId> add_cpus(Server& server) {
  std::vector<VertexId> cpus;
  for (std::int64_t cpu = 0; cpu < std::max<std::int64_t>(server.spec.cpus, 1); ++cpu) {
    cpus.push_back(server.sketch.add(VertexKind::cpu, server.node, cpu));
    if (cpu % 2 == 1) server.connect_pcie(cpus[cpus.size() - 2], cpus.back());
  }
  return cpus;
}

// The first of `count` things that belongs to part `part` of `parts`.
std::int64_t first_of(std::int64_t part, std::int64_t parts, std::int64_t count) {
  return (part * count + parts - 1) / parts;
}

std::vector<VertexId> add_pcie(Server& server, const std::vector<VertexId>& cpus) {
  const ServerSpec& spec = server.spec;
  const auto sockets = static_cast<std::int64_t>(cpus.size());
  const std::int64_t switches = std::min(spec.gpus, spec.nics > 0 ? spec.nics : sockets);
  const auto used = static_cast<std::int64_t>(server.gpus.size());
  std::vector<VertexId> nics;
  for (std::int64_t i = 0; i < switches; ++i) {
    const std::int64_t first = first_of(i, switches, spec.gpus);
    if (first >= used) break;
    const VertexId pcie = server.sketch.add(VertexKind::pcie_switch, server.node, i);
    server.connect_pcie(pcie, cpus[static_cast<std::size_t>(i * sockets / switches)]);
    const std::int64_t end = std::min(used, first_of(i + 1, switches, spec.gpus));
    for (std::int64_t gpu = first; gpu < end; ++gpu)
      server.connect_pcie(server.gpus[static_cast<std::size_t>(gpu)], pcie);
    const std::int64_t end_nic = first_of(i + 1, switches, spec.nics);
    for (std::int64_t nic = first_of(i, switches, spec.nics); nic < end_nic; ++nic) {
      nics.push_back(server.sketch.add(VertexKind::nic, server.node, nic));
      server.connect_pcie(pcie, nics.back());
    }
  }
  return nics;
}

}  // namespace

std::vector<VertexId> add_server(GraphSketch& sketch, const ServerSpec& spec, std::int64_t node,
                                 std::int64_t gpus) {
  Server server{sketch, spec, node, {}};
  for (std::int64_t gpu = 0; gpu < gpus; ++gpu)
    server.gpus.push_back(sketch.add(VertexKind::gpu, node, gpu));
  add_nvlink(server);
  return add_pcie(server, add_cpus(server));
}

}  // namespace stepcast

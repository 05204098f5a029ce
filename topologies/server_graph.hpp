#pragma once

#include <cstdint>
#include <vector>

#include "topologies/cluster.hpp"
#include "topologies/graph_sketch.hpp"

namespace stepcast {

// Adds one server with its first `gpus` GPUs and returns its NICs in order.
//
// GPUs meet in one NVSwitch vertex per NVLink domain (the chips of a domain act as one crossbar:
// traffic spreads evenly over them). There are as many PCIe switches as NICs (at most one per
// GPU), each with its even share of the GPUs and NICs, so with fewer NICs than GPUs neighbours
// share one; a server without NICs has a PCIe switch per CPU. PCIe switches spread over the CPUs.
// Every PCIe link, and assumption: the link between two sockets too, has one x16 port's bandwidth.
std::vector<VertexId> add_server(GraphSketch& sketch, const ServerSpec& server, std::int64_t node,
                                 std::int64_t gpus);

}  // namespace stepcast

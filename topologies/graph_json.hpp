#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "common/json_node.hpp"
#include "topologies/cluster.hpp"

namespace stepcast {

// Reads "vertices" and "links" of an explicit graph around `server`, whose counts and rates are
// taken from the graph: most GPUs and NICs on a node, largest NVLink domain, the first GPU's NVLink
// and PCIe rates, the first NIC's rate. Problems go to the node's reader, among them GPUs that
// cannot reach each other; nullopt then.
[[nodiscard]] std::optional<Cluster> parse_graph(const Node& node, ServerSpec server);
// {"vertices": .., "links": ..} that parse_graph reads back as the same graph.
[[nodiscard]] nlohmann::json graph_json(const Topology& topology);

// "node2.gpu3" or "leaf5".
[[nodiscard]] std::string vertex_name(const Vertex& vertex);

// What is wrong if some GPU has no path from or to GPU 0, else "".
[[nodiscard]] std::string missing_path(const Topology& topology);

}  // namespace stepcast

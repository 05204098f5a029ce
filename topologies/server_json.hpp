#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "common/json_node.hpp"
#include "topologies/cluster.hpp"

namespace stepcast {

// "format" and "version" of a document or object; both may be absent.
void check_format(const Node& node, const std::string& format);

// Reads a stepcast.server document or object. Problems go to the node's reader.
[[nodiscard]] ServerSpec parse_server(const Node& node);
// The document that parse_server reads back as the same server.
[[nodiscard]] nlohmann::json to_json(const ServerSpec& server);

// Reads a fabric object over `usual`, the one that the server is usually built into. nodes_per_leaf
// falls back to what half of a switch's ports take where the kind is not the usual one.
[[nodiscard]] FabricSpec parse_fabric(const Node& node, const ServerSpec& server);
[[nodiscard]] nlohmann::json to_json(const FabricSpec& fabric);

// Members of `node` as quantities, within limits no hardware is near to: 1e-6 to 1e6 GB/s, 0 to 1e6
// us, which keep sums and quotients of them finite.
[[nodiscard]] BytesPerSecond parse_rate(const Node& node, const std::string& key);
[[nodiscard]] Seconds parse_latency(const Node& node, const std::string& key, Seconds fallback);
[[nodiscard]] Bytes parse_memory(const Node& node, const std::string& key, Bytes unit);

// `no server preset "dgx-h10" (did you mean "dgx-h100"?)`
[[nodiscard]] std::string no_server_preset(const std::string& name);

// JSON GB/s: 450 for 450e9 B/s; and microseconds.
[[nodiscard]] double gigabytes_per_second(BytesPerSecond rate);
[[nodiscard]] double in_microseconds(Seconds time);

}  // namespace stepcast

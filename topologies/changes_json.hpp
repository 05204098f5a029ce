#pragma once

#include <nlohmann/json_fwd.hpp>

#include "common/json_node.hpp"
#include "topologies/cluster.hpp"

namespace stepcast {

// The keys of "overrides" that change every server: applied to `server`.
void apply_server_overrides(const Node& overrides, ServerSpec& server);

// The keys that change single links and servers. Ranges are checked against the cluster; problems
// go to the node's reader. Call overrides.finish() afterwards.
[[nodiscard]] Changes parse_changes(const Node& overrides, const ServerSpec& server,
                                    std::int64_t nodes, const FabricSpec& fabric);

// {"slow_links": .., "dead_nodes": ..}; empty lists are left out.
[[nodiscard]] nlohmann::json to_json(const Changes& changes);

}  // namespace stepcast

#pragma once

#include <nlohmann/json_fwd.hpp>

#include "topologies/cluster.hpp"

namespace stepcast {

// A stepcast.topology document: what parse_cluster reads (it gives the same cluster back), and
// under "derived" what follows from it: counts, tiers, bisection bandwidth, warnings. "derived" is
// ignored on reading.
[[nodiscard]] nlohmann::json to_json(const Cluster& cluster);

}  // namespace stepcast

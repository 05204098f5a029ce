#pragma once

#include <string>

#include "topologies/cluster.hpp"

namespace stepcast {

// The text of `stepcast topology show`: size, counts of every vertex kind, tiers with links, rate
// and latency, bisection bandwidth, warnings and sources. Its JSON form: cluster_json.hpp.
[[nodiscard]] std::string describe(const Cluster& cluster);

}  // namespace stepcast

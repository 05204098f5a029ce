#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "topologies/cluster.hpp"

namespace stepcast {

struct TierSummary {
  LinkTier tier = LinkTier::nvlink;
  std::int64_t links = 0;  // cables: a link and its way back count once
  BytesPerSecond slowest, fastest;
  Seconds latency;  // highest
};

// What `topology show` tells about a cluster.
struct ClusterSummary {
  std::int64_t gpus = 0;
  std::int64_t servers = 0;  // with a GPU
  std::int64_t nvlink_domains = 0;
  std::map<VertexKind, std::int64_t> vertices;
  std::vector<TierSummary> tiers;  // those that have links
  BytesPerSecond bisection;
};

[[nodiscard]] ClusterSummary summarize(const Cluster& cluster);

}  // namespace stepcast

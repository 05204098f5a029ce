#include "sim/network/link_loads.hpp"

#include <algorithm>
#include <array>

namespace stepcast {

LinkLoads::LinkLoads(const Topology& topology)
    : topology_(topology), bytes_(topology.links().size(), 0.0) {}

void LinkLoads::add(GpuId from, GpuId to, double amount) {
  for (const LinkShare& share : topology_.route(from, to))
    bytes_[share.link.index] += amount * share.share;
}

std::vector<TierUse> LinkLoads::busiest() const {
  std::array<double, link_tier_count> worst{};
  const std::vector<Link>& links = topology_.links();
  for (std::size_t i = 0; i < links.size(); ++i) {
    double& tier = worst[static_cast<std::size_t>(links[i].tier)];
    tier = std::max(tier, bytes_[i] / links[i].bandwidth.value());
  }
  std::vector<TierUse> uses;
  for (std::size_t tier = 0; tier < worst.size(); ++tier)
    if (worst[tier] > 0.0)
      uses.push_back({.tier = static_cast<LinkTier>(tier), .seconds_per_byte = worst[tier]});
  return uses;
}

}  // namespace stepcast

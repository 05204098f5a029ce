#include "sim/network/link_loads.hpp"

#include <algorithm>
#include <array>

namespace stepcast {

LinkLoads::LinkLoads(const Topology& topology)
    : topology_(topology), bytes_(topology.links().size(), 0.0) {}

void LinkLoads::add(GpuId from, GpuId to, double amount) {
  for (const LinkShare& share : topology_.route(from, to)) {
    double& bytes = bytes_[share.link.index];
    if (bytes == 0.0) touched_.push_back(share.link);
    bytes += amount * share.share;
  }
}

std::vector<TierUse> LinkLoads::busiest() const {
  std::array<double, link_tier_count> worst{};
  for (const LinkId id : touched_) {
    const Link& link = topology_.link(id);
    double& tier = worst[static_cast<std::size_t>(link.tier)];
    tier = std::max(tier, bytes_[id.index] / link.bandwidth.value());
  }
  std::vector<TierUse> uses;
  for (std::size_t tier = 0; tier < worst.size(); ++tier)
    if (worst[tier] > 0.0)
      uses.push_back({.tier = static_cast<LinkTier>(tier), .seconds_per_byte = worst[tier]});
  return uses;
}

}  // namespace stepcast

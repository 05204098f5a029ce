#include "sim/network/effective_bandwidth.hpp"

#include <algorithm>
#include <limits>

namespace stepcast {
namespace {

double published_nvlink_efficiency(NcclArchitecture architecture) {
  switch (architecture) {
    case NcclArchitecture::volta:
    case NcclArchitecture::ampere: return 235.0 / 300.0;
    case NcclArchitecture::hopper: return 367.0 / 450.0;
    case NcclArchitecture::blackwell: return 682.0 / 900.0;
  }
  return 1.0;
}

}  // namespace

LinkEfficiency link_efficiency(const Profile& profile) {
  const auto architecture = nccl_architecture(profile.device.compute_capability);
  return {.nvlink =
              profile.constant("nvlink.ring_efficiency", published_nvlink_efficiency(architecture)),
          .network = profile.constant("network.collective_efficiency", 0.955),
          .all_to_all = profile.constant("network.all_to_all_efficiency", 0.81),
          .nvls_tree = profile.constant("nccl.nvls_tree_efficiency", 0.93),
          .nvls_tree_nics = profile.constant("nccl.nvls_tree_nics", 9.0),
          .ring_nics = profile.constant("nccl.network_channels", 16.0)};
}

EffectiveBandwidth effective_bandwidth(const std::vector<TierUse>& use, double nvlink_efficiency,
                                       double network_efficiency) {
  constexpr double unlimited = std::numeric_limits<double>::infinity();
  EffectiveBandwidth result{BytesPerSecond{unlimited}, BytesPerSecond{unlimited}};
  for (const TierUse& tier : use) {
    if (tier.tier == LinkTier::nvlink)
      result.domain = BytesPerSecond{nvlink_efficiency / tier.seconds_per_byte};
    else
      result.network =
          std::min(result.network, BytesPerSecond{network_efficiency / tier.seconds_per_byte});
  }
  return result;
}

double seconds_per_byte(const std::vector<TierUse>& use, LinkTier tier) {
  for (const TierUse& candidate : use)
    if (candidate.tier == tier) return candidate.seconds_per_byte;
  return 0.0;
}

std::vector<TierUse> with_network_scaled(std::vector<TierUse> use, double factor) {
  for (TierUse& tier : use)
    if (tier.tier != LinkTier::nvlink) tier.seconds_per_byte *= factor;
  return use;
}

Seconds wire_bound(Bytes wire, const std::vector<TierUse>& use) {
  double worst = 0.0;
  for (const TierUse& tier : use) worst = std::max(worst, tier.seconds_per_byte);
  return Seconds{wire.value() * worst};
}

}  // namespace stepcast

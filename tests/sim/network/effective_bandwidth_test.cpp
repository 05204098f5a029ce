#include "sim/network/effective_bandwidth.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "network_fixtures.hpp"

namespace stepcast {
namespace {

const std::vector<TierUse> use{
    {LinkTier::nvlink, 1.0 / 400e9}, {LinkTier::nic, 1.0 / 100e9}, {LinkTier::spine, 1.0 / 80e9}};

TEST(EffectiveBandwidth, IsTheSlowestTierOfEachSide) {
  const EffectiveBandwidth bandwidth = effective_bandwidth(use, 0.8, 0.5);
  EXPECT_NEAR(bandwidth.domain.value(), 320e9, 1.0);
  EXPECT_NEAR(bandwidth.network.value(), 40e9, 1.0);
  EXPECT_EQ(bandwidth.least(), bandwidth.network);
}

TEST(EffectiveBandwidth, IsUnlimitedWhereNothingFlows) {
  EXPECT_TRUE(std::isinf(effective_bandwidth({{LinkTier::nic, 1e-9}}, 1.0, 1.0).domain.value()));
}

TEST(EffectiveBandwidth, ScalesTheNetworkOnly) {
  const auto scaled = with_network_scaled(use, 2.0);
  EXPECT_EQ(seconds_per_byte(scaled, LinkTier::nvlink), 1.0 / 400e9);
  EXPECT_EQ(seconds_per_byte(scaled, LinkTier::spine), 2.0 / 80e9);
  EXPECT_EQ(seconds_per_byte(scaled, LinkTier::core), 0.0);
}

TEST(WireBound, IsTheTimeOfTheBusiestLink) {
  EXPECT_DOUBLE_EQ(wire_bound(Bytes{80e9}, use).value(), 1.0);
  EXPECT_EQ(wire_bound(Bytes{80e9}, {}), Seconds{});
}

TEST(LinkEfficiency, ComesFromTheProfileOrPublishedPlateaus) {
  Profile profile = testing_network::bare_profile(8.0, 300);
  EXPECT_DOUBLE_EQ(link_efficiency(profile).nvlink, 235.0 / 300.0);
  profile.constants["nvlink.ring_efficiency"].value = 0.7;
  profile.constants["network.collective_efficiency"].value = 0.9;
  EXPECT_EQ(link_efficiency(profile).nvlink, 0.7);
  EXPECT_EQ(link_efficiency(profile).network, 0.9);
}

}  // namespace
}  // namespace stepcast

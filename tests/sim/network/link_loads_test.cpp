#include "sim/network/link_loads.hpp"

#include <gtest/gtest.h>

#include "network_fixtures.hpp"

namespace stepcast {
namespace {

using testing_network::rate_of;

TEST(LinkLoads, NothingSentIsNothingUsed) {
  const Cluster cluster = load_cluster("dgx-h100:1");
  EXPECT_TRUE(LinkLoads(cluster.topology).busiest().empty());
}

TEST(LinkLoads, OneFlowTakesTheRateOfItsSlowestLinkOfEachTier) {
  // Two GPUs of a DGX H100 over NVLink: 450 GB/s a GPU, spread over its switches.
  const Cluster cluster = load_cluster("dgx-h100:2");
  LinkLoads loads(cluster.topology);
  loads.add(GpuId{0}, GpuId{1}, 1.0);
  EXPECT_NEAR(rate_of(loads.busiest(), LinkTier::nvlink), 450e9, 1.0);
  EXPECT_EQ(loads.busiest().size(), 1U);
}

TEST(LinkLoads, FlowsOfOneSenderAddUp) {
  const Cluster cluster = load_cluster("dgx-h100:1");
  LinkLoads loads(cluster.topology);
  loads.add(GpuId{0}, GpuId{1}, 1.0);
  loads.add(GpuId{0}, GpuId{2}, 0.5);
  EXPECT_NEAR(rate_of(loads.busiest(), LinkTier::nvlink), 450e9 / 1.5, 1.0);
}

TEST(LinkLoads, OppositeDirectionsDoNotShare) {
  const Cluster cluster = load_cluster("dgx-h100:1");
  LinkLoads loads(cluster.topology);
  loads.add(GpuId{0}, GpuId{1}, 1.0);
  loads.add(GpuId{1}, GpuId{0}, 1.0);
  EXPECT_NEAR(rate_of(loads.busiest(), LinkTier::nvlink), 450e9, 1.0);
}

TEST(LinkLoads, BetweenServersTheNicIsTheLimit) {
  const Cluster cluster = load_cluster("dgx-h100:2");
  LinkLoads loads(cluster.topology);
  loads.add(GpuId{0}, GpuId{8}, 1.0);
  EXPECT_NEAR(rate_of(loads.busiest(), LinkTier::nic), 50e9, 1.0);
  EXPECT_EQ(rate_of(loads.busiest(), LinkTier::nvlink), 0.0);
}

}  // namespace
}  // namespace stepcast

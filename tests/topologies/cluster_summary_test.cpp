#include "topologies/cluster_summary.hpp"

#include <gtest/gtest.h>

#include "tests/topologies/cluster_fixtures.hpp"

namespace stepcast {
namespace {

TEST(ClusterSummary, CountsWhatEightServersHave) {
  const ClusterSummary summary = summarize(load_cluster("dgx-h100:8"));
  EXPECT_EQ(summary.gpus, 64);
  EXPECT_EQ(summary.servers, 8);
  EXPECT_EQ(summary.nvlink_domains, 8);
  EXPECT_EQ(summary.vertices.at(VertexKind::nic), 64);
  EXPECT_FALSE(summary.vertices.contains(VertexKind::core));
  EXPECT_EQ(summary.bisection, BytesPerSecond{4 * 8 * 50e9});
}

TEST(ClusterSummary, CountsCablesOnceAndLeavesEmptyTiersOut) {
  const ClusterSummary summary = summarize(load_cluster("dgx-h100:8"));
  ASSERT_EQ(summary.tiers.size(), 4U);
  EXPECT_EQ(summary.tiers[0].tier, LinkTier::nvlink);
  EXPECT_EQ(summary.tiers[0].links, 64);
  EXPECT_EQ(summary.tiers[1].links, 8 * (8 + 8 + 8 + 1));  // GPUs, NICs, switches, sockets
  EXPECT_EQ(summary.tiers[2].links, 64);
  EXPECT_EQ(summary.tiers[2].slowest, BytesPerSecond{50e9});
  EXPECT_EQ(summary.tiers[3].links, 8);  // each leaf to one spine switch
  EXPECT_EQ(summary.tiers[3].fastest, BytesPerSecond{8 * 50e9});
  EXPECT_EQ(summary.tiers[3].latency, microseconds(0.35));
}

TEST(ClusterSummary, ShowsTheSlowestAndFastestLinkOfATier) {
  const Cluster cluster =
      build_cluster(test::toy_server(), 2, test::toy_fabric(FabricKind::single_switch),
                    Changes{.dead_nodes = {}, .slow_links = {{LinkTier::nic, 0, 0, 0.5}}});
  const ClusterSummary summary = summarize(cluster);
  EXPECT_EQ(summary.tiers.back().tier, LinkTier::nic);
  EXPECT_EQ(summary.tiers.back().slowest, BytesPerSecond{5e9});
  EXPECT_EQ(summary.tiers.back().fastest, BytesPerSecond{10e9});
}

TEST(ClusterSummary, CountsOnlyServersWithGpus) {
  const Cluster cluster =
      build_cluster(test::toy_server(), 4, test::toy_fabric(FabricKind::single_switch),
                    Changes{.dead_nodes = {1}});
  EXPECT_EQ(summarize(cluster).servers, 3);
}

}  // namespace
}  // namespace stepcast

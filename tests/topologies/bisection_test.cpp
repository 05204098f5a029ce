#include <gtest/gtest.h>

#include "tests/topologies/cluster_fixtures.hpp"
#include "topologies/graph_sketch.hpp"

namespace stepcast {
namespace {

using test::toy_fabric;
using test::toy_server;

double bisection(FabricKind kind, std::int64_t nodes, double oversubscription = 1.0,
                 std::int64_t nodes_per_leaf = 2) {
  FabricSpec fabric = toy_fabric(kind, nodes_per_leaf);
  fabric.oversubscription = oversubscription;
  fabric.leaves_per_pod = 2;
  return bisection_bandwidth(build_cluster(toy_server(), nodes, fabric)).value();
}

// 4 NICs x 10 GB/s a server.
constexpr double per_server = 40e9;

TEST(Bisection, OfAFullFabricIsHalfOfAllNics) {
  for (const FabricKind kind : {FabricKind::single_switch, FabricKind::leaf_spine,
                                FabricKind::rail_optimized, FabricKind::three_level_fat_tree})
    for (const std::int64_t nodes : {2, 4, 8})
      EXPECT_DOUBLE_EQ(bisection(kind, nodes), per_server * static_cast<double>(nodes) / 2)
          << static_cast<int>(kind) << " with " << nodes;
}

TEST(Bisection, HalvesWithTwoToOneOversubscription) {
  EXPECT_DOUBLE_EQ(bisection(FabricKind::leaf_spine, 8, 2.0), per_server * 8 / 2 / 2);
  EXPECT_DOUBLE_EQ(bisection(FabricKind::three_level_fat_tree, 8, 2.0), per_server * 8 / 2 / 2);
  EXPECT_DOUBLE_EQ(bisection(FabricKind::rail_optimized, 8, 2.0), per_server * 8 / 2 / 2);
}

TEST(Bisection, IgnoresOversubscriptionBelowSharedLeaves) {
  // All 8 servers are in one rail group: every rail's leaf joins both halves by itself.
  EXPECT_DOUBLE_EQ(bisection(FabricKind::rail_optimized, 8, 4.0, 32), per_server * 8 / 2);
}

TEST(Bisection, CutsAnOddNumberOfServersBelowTheMiddle) {
  EXPECT_DOUBLE_EQ(bisection(FabricKind::single_switch, 5), per_server * 2);
}

TEST(Bisection, OfOneServerIsHalfOfItsNvlinks) {
  EXPECT_DOUBLE_EQ(bisection_bandwidth(build_cluster(toy_server(), 1, FabricSpec{})).value(),
                   2 * 100e9);
  EXPECT_DOUBLE_EQ(bisection_bandwidth(load_cluster("dgx-h100")).value(), 4 * 450e9);
  EXPECT_DOUBLE_EQ(bisection_bandwidth(load_cluster("gb200-nvl72")).value(), 36 * 900e9);
}

TEST(Bisection, OfOneServerWithoutNvlinkGoesByTheSockets) {
  ServerSpec server = toy_server();
  server.nvlink_domain_gpus = 1;
  EXPECT_DOUBLE_EQ(bisection_bandwidth(build_cluster(server, 1, FabricSpec{})).value(), 20e9);
}

TEST(Bisection, OfOneGpuIsNothing) {
  EXPECT_EQ(bisection_bandwidth(build_cluster(toy_server(1, 1), 1, FabricSpec{})).value(), 0.0);
}

TEST(Bisection, IsLimitedByThePortsOfNics) {
  ServerSpec server = toy_server();
  server.nic_bandwidth = BytesPerSecond{30e9};  // behind 20 GB/s ports
  const Cluster cluster = build_cluster(server, 2, toy_fabric(FabricKind::single_switch));
  EXPECT_DOUBLE_EQ(bisection_bandwidth(cluster).value(), 4 * 20e9);
}

TEST(Bisection, LosesWhatADeadLinkCarried) {
  const Changes dead{.slow_links = {{LinkTier::nic, 0, 1, 0.0}, {LinkTier::nic, 0, 2, 0.5}}};
  const Cluster cluster =
      build_cluster(toy_server(), 2, toy_fabric(FabricKind::rail_optimized), dead);
  EXPECT_DOUBLE_EQ(bisection_bandwidth(cluster).value(), 25e9);
}

TEST(Bisection, OfLargeFabricsIsTheClosedForm) {
  EXPECT_NEAR(bisection_bandwidth(load_cluster("dgx-h100:64")).value(), 32 * 8 * 50e9, 1e3);
  EXPECT_NEAR(bisection_bandwidth(load_cluster("dgx-a100:40")).value(), 20 * 8 * 25e9, 1e3);
  EXPECT_NEAR(bisection_bandwidth(load_cluster("gb200-nvl72:4")).value(), 2 * 72 * 50e9, 1e3);
}

TEST(Bisection, ToleratesRatesBeyondHardware) {
  ServerSpec server = toy_server();
  server.nic_bandwidth = server.pcie_bandwidth = BytesPerSecond{1e15};
  const Cluster cluster = build_cluster(server, 64, toy_fabric(FabricKind::single_switch));
  EXPECT_NEAR(bisection_bandwidth(cluster).value(), 32 * 4e15, 1e9);
}

}  // namespace
}  // namespace stepcast

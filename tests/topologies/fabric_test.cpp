#include "topologies/fabric.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/topologies/cluster_fixtures.hpp"

namespace stepcast {
namespace {

using test::toy_fabric;
using test::toy_server;

TEST(Fabric, NamesItsKindsAsDocumentsDo) {
  EXPECT_EQ(name_of(FabricKind::single_switch), "single_switch");
  EXPECT_EQ(name_of(FabricKind::three_level_fat_tree), "three_level_fat_tree");
}

struct SuperPod {
  std::int64_t nodes, leaves, spines;
};

class SuperPodH100 : public testing::TestWithParam<SuperPod> {};

// NVIDIA DGX SuperPOD H100 reference architecture, compute fabric component count: 1, 2 and 4
// scalable units of 32 servers (one server fewer for the fabric manager) have these switches.
TEST_P(SuperPodH100, HasTheSwitchesOfTheReferenceArchitecture) {
  const ServerSpec server = server_preset("dgx-h100");
  const FabricShape shape = shape_of(server.fabric, server, GetParam().nodes);
  EXPECT_EQ(shape.leaves(), GetParam().leaves);
  EXPECT_EQ(shape.spines(), GetParam().spines);
  EXPECT_EQ(shape.leaf_ports, 64);
}

INSTANTIATE_TEST_SUITE_P(Fabric, SuperPodH100,
                         testing::Values(SuperPod{32, 8, 4}, SuperPod{64, 16, 8},
                                         SuperPod{128, 32, 16}));

TEST(Fabric, OversubscriptionTakesUplinksAwayAndTheirBandwidth) {
  FabricSpec fabric = toy_fabric(FabricKind::leaf_spine);
  const ServerSpec server = toy_server(4, 4);
  // A leaf: 2 servers x 4 NICs x 10 GB/s = 80 GB/s down over 8 ports, 8 up; 2 leaves: 16 uplinks on
  // 2 spine switches of 8 ports, 40 GB/s from a leaf to each.
  const FabricShape full = shape_of(fabric, server, 4);
  EXPECT_EQ(full.leaf_ports, 16);
  EXPECT_EQ(full.spines(), 2);
  EXPECT_EQ(full.spine_link, BytesPerSecond{40e9});
  fabric.oversubscription = 2.0;  // 4 uplinks, 8 on one spine switch, which gets all 40 GB/s
  const FabricShape half = shape_of(fabric, server, 4);
  EXPECT_EQ(half.leaf_ports, 12);
  EXPECT_EQ(half.spines(), 1);
  EXPECT_EQ(half.spine_link, BytesPerSecond{40e9});
}

TEST(Fabric, NeedsNoSpineBelowOneLeaf) {
  EXPECT_EQ(shape_of(toy_fabric(FabricKind::leaf_spine), toy_server(), 2).spines(), 0);
  EXPECT_EQ(shape_of(toy_fabric(FabricKind::single_switch), toy_server(), 1000).leaves(), 1);
}

TEST(Fabric, JoinsPodsByAFullCore) {
  FabricSpec fabric = toy_fabric(FabricKind::three_level_fat_tree);
  fabric.leaves_per_pod = 2;
  // 8 servers: 4 leaves of 8 downlinks, 2 pods. A pod: 16 uplinks, 4 ports of a spine switch face
  // down: 4 spine switches, 20 GB/s from a leaf to each. A spine switch: 2 x 20 GB/s up. 2 pods x 4
  // up-ports fill one core switch per plane.
  const FabricShape shape = shape_of(fabric, toy_server(4, 4), 8);
  EXPECT_EQ(shape.leaves(), 4);
  EXPECT_EQ(shape.pods, 2);
  EXPECT_EQ(shape.spines(), 8);
  EXPECT_EQ(shape.cores(), 4);
  EXPECT_EQ(shape.spine_link, BytesPerSecond{20e9});
  EXPECT_EQ(shape.core_link, BytesPerSecond{40e9});
  EXPECT_EQ(shape.spine_ports, 8);
}

TEST(Fabric, OmitsTheCoreOfASinglePod) {
  EXPECT_EQ(shape_of(toy_fabric(FabricKind::three_level_fat_tree), toy_server(), 8).cores(), 0);
}

TEST(Fabric, PutsTheRailsOfATrayOnTheirOwnLeaves) {
  // An NVL72 rack: NIC i is NIC i % 4 of tray i / 4, and the rack has one leaf for each of 4 rails.
  const ServerSpec rack = server_preset("gb200-nvl72");
  const Cluster cluster = build_cluster(rack, 2, rack.fabric);
  const Topology& topology = cluster.topology;
  EXPECT_EQ(test::count(topology, VertexKind::leaf), 8);
  // GPU 5 (tray 1, rail 1) to GPU 72 + 9 (tray 2, rail 1) of the other rack.
  const auto route = test::route_text(topology, 5, 81);
  EXPECT_EQ(route[2], "node0.nic5 > leaf1 x1");
  EXPECT_EQ(route[route.size() - 3], "leaf5 > node1.nic9 x1");
}

TEST(Fabric, WarnsWhereASwitchWouldNeedMorePortsThanItHas) {
  const FabricSpec fabric = toy_fabric(FabricKind::leaf_spine);
  // Leaves use 8 + 8 ports of 8; 10 leaves x 8 uplinks on 8 spine switches: 10 ports each.
  const auto warnings = fabric_warnings(fabric, shape_of(fabric, toy_server(4, 4), 20));
  EXPECT_THAT(
      warnings,
      testing::ElementsAre(
          "a leaf of this fabric uses 16 ports and one switch has 8: it stands for several chained "
          "ones, with their bandwidth but not their extra hops; lower fabric.nodes_per_leaf or set "
          "fabric.switch_ports",
          "a spine switch of this fabric uses 10 ports and one switch has 8: it stands for several "
          "chained ones, with their bandwidth but not their extra hops; set fabric.kind to "
          "three_level_fat_tree, or fabric.switch_ports"));
  const ServerSpec h100 = server_preset("dgx-h100");
  EXPECT_TRUE(fabric_warnings(h100.fabric, shape_of(h100.fabric, h100, 256)).empty());
}

TEST(Fabric, KeepsLeafBandwidthWhateverTheSpineCount) {
  const ServerSpec server = server_preset("dgx-h100");
  for (const std::int64_t nodes : {8, 33, 100, 384}) {
    const FabricShape shape = shape_of(server.fabric, server, nodes);
    const double down = static_cast<double>(shape.nodes_per_group) * 50e9;
    EXPECT_NEAR(shape.spine_link.value() * static_cast<double>(shape.spines()), down, 1.0) << nodes;
  }
}

}  // namespace
}  // namespace stepcast

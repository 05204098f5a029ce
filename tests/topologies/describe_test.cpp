#include "topologies/describe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/topologies/cluster_fixtures.hpp"

namespace stepcast {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Describe, ShowsCountsTiersAndBisection) {
  ServerSpec server = test::toy_server();
  server.nvswitches = 2;
  server.sources = {"arithmetic of this test"};
  FabricSpec fabric = test::toy_fabric(FabricKind::leaf_spine);
  fabric.oversubscription = 2.0;
  const Changes slow{.slow_links = {{LinkTier::nic, 3, 3, 0.5}}};
  // 4 servers of 4 GPUs, 2 leaves of 8 NICs x 10 GB/s, 4 uplinks each, all 8 on one spine switch:
  // 40 GB/s between the halves. PCIe: 4 x (4 + 4 + 4 + 1).
  EXPECT_EQ(describe(build_cluster(server, 4, fabric, slow)),
            "cluster   toy:4\n"
            "gpus      16 toy-gpu with 0.9313 GiB, in 4 servers, 4 NVLink domains of up to 4\n"
            "fabric    leaf_spine, 2:1 oversubscribed, 2 servers below a leaf\n"
            "\n"
            "vertices       count\n"
            "gpu               16\n"
            "nvswitch           4  (each stands for 2 chips)\n"
            "pcie_switch       16\n"
            "cpu                8\n"
            "nic               16\n"
            "leaf               2\n"
            "spine              1\n"
            "\n"
            "tier      links  GB/s per direction  latency us\n"
            "nvlink       16                 100           1\n"
            "pcie         52                  20           2\n"
            "nic          16             5 to 10           3\n"
            "spine         2                  40           3\n"
            "\n"
            "bisection bandwidth 40 GB/s per direction, between halves of the servers\n"
            "warning: a leaf of this fabric uses 12 ports and one switch has 8: it stands for "
            "several chained ones, with their bandwidth but not their extra hops; lower "
            "fabric.nodes_per_leaf or set fabric.switch_ports\n"
            "\n"
            "sources\n"
            "- arithmetic of this test\n");
}

TEST(Describe, WritesLargeRatesInFull) {
  EXPECT_THAT(describe(load_cluster("gb200-nvl72:16")), HasSubstr("bandwidth 28800 GB/s"));
}

TEST(Describe, LeavesNvlinkAndFabricOutWhereThereIsNone) {
  const std::string text = describe(load_cluster("cpu-host"));
  EXPECT_THAT(text, HasSubstr("gpus      8 cpu with 2 GiB, in 1 server\n\n"));
  EXPECT_THAT(text, Not(HasSubstr("fabric")));
}

TEST(Describe, TellsPodsOfAFatTree) {
  FabricSpec fabric = test::toy_fabric(FabricKind::three_level_fat_tree);
  fabric.leaves_per_pod = 2;
  EXPECT_THAT(describe(build_cluster(test::toy_server(), 8, fabric)),
              HasSubstr("three_level_fat_tree, full bandwidth, 2 servers below a leaf, 2 leaves in "
                        "a pod\n"));
}

}  // namespace
}  // namespace stepcast

#include "topologies/router.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tests/topologies/cluster_fixtures.hpp"
#include "topologies/graph_sketch.hpp"

namespace stepcast {
namespace {

using test::route_text;
using test::toy_fabric;
using test::toy_server;
using testing::ElementsAre;

constexpr BytesPerSecond rate{1e9};
const Seconds hop = microseconds(1.0);

TEST(Router, CrossesTheSwitchInsideADomain) {
  const Cluster cluster = build_cluster(toy_server(), 1, FabricSpec{});
  EXPECT_THAT(route_text(cluster.topology, 1, 3),
              ElementsAre("node0.gpu1 > node0.nvswitch0 x1", "node0.nvswitch0 > node0.gpu3 x1"));
}

TEST(Router, LeavesByTheNicOfTheOwnRailAndStaysOnItsLeaf) {
  const Cluster cluster = build_cluster(toy_server(), 2, toy_fabric(FabricKind::rail_optimized));
  EXPECT_THAT(
      route_text(cluster.topology, 2, 6),
      ElementsAre("node0.gpu2 > node0.pcie_switch2 x1", "node0.pcie_switch2 > node0.nic2 x1",
                  "node0.nic2 > leaf2 x1", "leaf2 > node1.nic2 x1",
                  "node1.nic2 > node1.pcie_switch2 x1", "node1.pcie_switch2 > node1.gpu2 x1"));
}

TEST(Router, CrossesTheSpineBetweenRailsEvenly) {
  // 4 leaves with 2 uplinks each fill one 8-port spine switch; 4 nodes make 8 leaves, hence 2.
  const Cluster cluster = build_cluster(toy_server(), 4, toy_fabric(FabricKind::rail_optimized));
  EXPECT_THAT(
      route_text(cluster.topology, 0, 5),
      ElementsAre("node0.gpu0 > node0.pcie_switch0 x1", "node0.pcie_switch0 > node0.nic0 x1",
                  "node0.nic0 > leaf0 x1", "leaf0 > spine0 x0.5", "leaf0 > spine1 x0.5",
                  "spine0 > leaf1 x0.5", "spine1 > leaf1 x0.5", "leaf1 > node1.nic1 x1",
                  "node1.nic1 > node1.pcie_switch1 x1", "node1.pcie_switch1 > node1.gpu1 x1"));
}

TEST(Router, SharesANicBelowOnePcieSwitch) {
  const Cluster cluster =
      build_cluster(toy_server(4, 2), 2, toy_fabric(FabricKind::rail_optimized));
  // GPUs 0 and 1 use NIC 0, GPUs 2 and 3 NIC 1.
  EXPECT_EQ(route_text(cluster.topology, 1, 5)[1], "node0.pcie_switch0 > node0.nic0 x1");
  EXPECT_EQ(route_text(cluster.topology, 2, 6)[1], "node0.pcie_switch1 > node0.nic1 x1");
  EXPECT_EQ(route_text(cluster.topology, 3, 7)[2], "node0.nic1 > leaf1 x1");
}

TEST(Router, SpreadsOverSeveralNicsAtEqualDistance) {
  const Cluster cluster = build_cluster(toy_server(1, 2), 2, toy_fabric(FabricKind::leaf_spine));
  EXPECT_THAT(
      route_text(cluster.topology, 0, 1),
      ElementsAre("node0.gpu0 > node0.pcie_switch0 x1", "node0.pcie_switch0 > node0.nic0 x0.5",
                  "node0.pcie_switch0 > node0.nic1 x0.5", "node0.nic0 > leaf0 x0.5",
                  "node0.nic1 > leaf0 x0.5", "leaf0 > node1.nic0 x0.5", "leaf0 > node1.nic1 x0.5",
                  "node1.nic0 > node1.pcie_switch0 x0.5", "node1.pcie_switch0 > node1.gpu0 x0.5",
                  "node1.nic1 > node1.pcie_switch0 x0.5", "node1.pcie_switch0 > node1.gpu0 x0.5"));
}

TEST(Router, UsesPcieAndCpusInAServerWithoutNvlink) {
  ServerSpec server = toy_server();
  server.nvlink_domain_gpus = 1;
  const Cluster cluster = build_cluster(server, 2, toy_fabric(FabricKind::rail_optimized));
  EXPECT_THAT(
      route_text(cluster.topology, 0, 1),  // same socket
      ElementsAre("node0.gpu0 > node0.pcie_switch0 x1", "node0.pcie_switch0 > node0.cpu0 x1",
                  "node0.cpu0 > node0.pcie_switch1 x1", "node0.pcie_switch1 > node0.gpu1 x1"));
  EXPECT_EQ(route_text(cluster.topology, 0, 2)[2], "node0.cpu0 > node0.cpu1 x1");
}

TEST(Router, NeverPassesThroughAGpuOrNic) {
  // gpu1 and nic1 are shortcuts that may not be used.
  GraphSketch sketch;
  const VertexId gpu0 = sketch.add(VertexKind::gpu, 0, 0);
  const VertexId gpu1 = sketch.add(VertexKind::gpu, 0, 1);
  const VertexId gpu2 = sketch.add(VertexKind::gpu, 0, 2);
  const VertexId cpu0 = sketch.add(VertexKind::cpu, 0, 0);
  const VertexId cpu1 = sketch.add(VertexKind::cpu, 0, 1);
  const VertexId nic = sketch.add(VertexKind::nic, 0, 0);
  for (const auto& [a, b] : {std::pair(gpu0, gpu1),
                             {gpu1, gpu2},
                             {gpu0, nic},
                             {nic, gpu2},
                             {gpu0, cpu0},
                             {cpu0, cpu1},
                             {cpu1, gpu2}})
    sketch.connect(a, b, LinkTier::pcie, rate, hop);
  const Topology topology = finished(std::move(sketch));
  EXPECT_THAT(route_text(topology, 0, 2),
              ElementsAre("node0.gpu0 > node0.cpu0 x1", "node0.cpu0 > node0.cpu1 x1",
                          "node0.cpu1 > node0.gpu2 x1"));
}

TEST(Router, RelaysOverNvlinkWhereGpusAreMeshed) {
  GraphSketch sketch;  // a ring of four: opposite corners have two ways
  std::vector<VertexId> gpus;
  for (std::int64_t i = 0; i < 4; ++i) gpus.push_back(sketch.add(VertexKind::gpu, 0, i));
  for (std::size_t i = 0; i < 4; ++i)
    sketch.connect(gpus[i], gpus[(i + 1) % 4], LinkTier::nvlink, rate, hop);
  const Topology topology = finished(std::move(sketch));
  EXPECT_THAT(route_text(topology, 0, 2),
              ElementsAre("node0.gpu0 > node0.gpu1 x0.5", "node0.gpu0 > node0.gpu3 x0.5",
                          "node0.gpu1 > node0.gpu2 x0.5", "node0.gpu3 > node0.gpu2 x0.5"));
}

TEST(Router, CablesNicToNicWithoutASwitch) {
  GraphSketch sketch;
  std::vector<VertexId> nics;
  for (std::int64_t node = 0; node < 2; ++node) {
    const VertexId gpu = sketch.add(VertexKind::gpu, node, 0);
    nics.push_back(sketch.add(VertexKind::nic, node, 0));
    sketch.connect(gpu, nics.back(), LinkTier::pcie, rate, hop);
  }
  sketch.connect(nics[0], nics[1], LinkTier::nic, rate, hop);
  const Topology topology = finished(std::move(sketch));
  EXPECT_THAT(route_text(topology, 0, 1),
              ElementsAre("node0.gpu0 > node0.nic0 x1", "node0.nic0 > node1.nic0 x1",
                          "node1.nic0 > node1.gpu0 x1"));
}

TEST(Router, DualHomedNicTakesTheNearerLeaf) {
  // nic0 reaches leaf0 and leaf1; the other server hangs on leaf1 only, leaf0 is one spine away.
  GraphSketch sketch;
  const VertexId gpu0 = sketch.add(VertexKind::gpu, 0, 0);
  const VertexId nic0 = sketch.add(VertexKind::nic, 0, 0);
  const VertexId gpu1 = sketch.add(VertexKind::gpu, 1, 0);
  const VertexId nic1 = sketch.add(VertexKind::nic, 1, 0);
  const VertexId leaf0 = sketch.add(VertexKind::leaf, 0, 0);
  const VertexId leaf1 = sketch.add(VertexKind::leaf, 0, 1);
  const VertexId spine = sketch.add(VertexKind::spine, 0, 0);
  sketch.connect(gpu0, nic0, LinkTier::pcie, rate, hop);
  sketch.connect(gpu1, nic1, LinkTier::pcie, rate, hop);
  sketch.connect(nic0, leaf0, LinkTier::nic, rate, hop);
  sketch.connect(nic0, leaf1, LinkTier::nic, rate, hop);
  sketch.connect(nic1, leaf1, LinkTier::nic, rate, hop);
  sketch.connect(leaf0, spine, LinkTier::spine, rate, hop);
  sketch.connect(leaf1, spine, LinkTier::spine, rate, hop);
  const Topology topology = finished(std::move(sketch));
  EXPECT_THAT(route_text(topology, 0, 1),
              ElementsAre("node0.gpu0 > node0.nic0 x1", "node0.nic0 > leaf1 x1",
                          "leaf1 > node1.nic0 x1", "node1.nic0 > node1.gpu0 x1"));
  EXPECT_EQ(route_text(topology, 1, 0)[2], "leaf1 > node0.nic0 x1");
}

TEST(Router, GoesAroundADeadNicByItsNeighbours) {
  const Changes dead{.slow_links = {{LinkTier::nic, 0, 1, 0.0}}};
  const Cluster cluster =
      build_cluster(toy_server(), 2, toy_fabric(FabricKind::rail_optimized), dead);
  // GPU 1's nearest cabled NIC is NIC 0 on the same socket.
  const auto route = route_text(cluster.topology, 1, 5);
  ASSERT_GE(route.size(), 5U);
  EXPECT_EQ(route[1], "node0.pcie_switch1 > node0.cpu0 x1");
  EXPECT_EQ(route[2], "node0.cpu0 > node0.pcie_switch0 x1");
  EXPECT_EQ(route[4], "node0.nic0 > leaf0 x1");
}

TEST(Router, FallsBackToPcieWhenAGpuLostItsNvlink) {
  const Changes dead{.slow_links = {{LinkTier::nvlink, 0, 1, 0.0}}};
  const Cluster cluster = build_cluster(toy_server(), 1, FabricSpec{}, dead);
  EXPECT_EQ(route_text(cluster.topology, 0, 1)[0], "node0.gpu0 > node0.pcie_switch0 x1");
}

struct Case {
  const char* name;
  FabricKind kind;
  std::int64_t nodes;
  std::int64_t nics;
};

class EveryFabric : public testing::TestWithParam<Case> {};

TEST_P(EveryFabric, CarriesOneWholeUnitAlongEveryRoute) {
  const auto& [name, kind, nodes, nics] = GetParam();
  FabricSpec fabric = toy_fabric(kind);
  fabric.leaves_per_pod = 2;
  const Cluster cluster = build_cluster(toy_server(4, nics), nodes, fabric);
  const Topology& topology = cluster.topology;
  for (std::uint32_t from = 0; from < topology.gpu_count(); ++from)
    for (std::uint32_t to = 0; to < topology.gpu_count(); ++to)
      for (const auto& [vertex, amount] : test::surplus(topology, from, to)) {
        const double at_ends = (VertexId{vertex} == topology.vertex_of(GpuId{from}) ? 1.0 : 0.0) -
                               (VertexId{vertex} == topology.vertex_of(GpuId{to}) ? 1.0 : 0.0);
        ASSERT_NEAR(amount, at_ends, 1e-12) << name << ": GPU " << from << " to " << to;
      }
}

TEST_P(EveryFabric, TakesAsLongThereAsBack) {
  const auto& [name, kind, nodes, nics] = GetParam();
  const Cluster cluster = build_cluster(toy_server(4, nics), nodes, toy_fabric(kind));
  for (std::uint32_t gpu = 1; gpu < cluster.topology.gpu_count(); ++gpu) {
    EXPECT_EQ(cluster.topology.latency(GpuId{0}, GpuId{gpu}),
              cluster.topology.latency(GpuId{gpu}, GpuId{0}));
    EXPECT_EQ(cluster.topology.route(GpuId{0}, GpuId{gpu}).size(),
              cluster.topology.route(GpuId{gpu}, GpuId{0}).size());
  }
}

INSTANTIATE_TEST_SUITE_P(Router, EveryFabric,
                         testing::Values(Case{"Single", FabricKind::single_switch, 3, 4},
                                         Case{"LeafSpine", FabricKind::leaf_spine, 5, 4},
                                         Case{"Rail", FabricKind::rail_optimized, 5, 4},
                                         Case{"RailTwoNics", FabricKind::rail_optimized, 4, 2},
                                         Case{"RailThreeNics", FabricKind::rail_optimized, 4, 3},
                                         Case{"RailEightNics", FabricKind::rail_optimized, 4, 8},
                                         Case{"FatTree", FabricKind::three_level_fat_tree, 9, 4}),
                         [](const auto& tested) { return tested.param.name; });

// Servers of one GPU and one NIC on a random network of switches.
Topology random_network(std::mt19937& random, std::uint32_t servers, std::uint32_t switches) {
  const auto below = [&](std::uint32_t limit) { return random() % limit; };
  GraphSketch sketch;
  std::vector<VertexId> network;
  for (std::uint32_t i = 0; i < switches; ++i)
    network.push_back(sketch.add(VertexKind::leaf, 0, i));
  for (std::uint32_t i = 1; i < switches; ++i)  // a tree, and as many links again
    sketch.connect(network[i], network[below(i)], LinkTier::spine, rate, hop);
  for (std::uint32_t i = 0; i < switches; ++i) {
    const VertexId a = network[below(switches)];
    const VertexId b = network[below(switches)];
    if (a != b) sketch.connect(a, b, LinkTier::core, rate, hop);
  }
  for (std::uint32_t i = 0; i < servers; ++i) {
    const VertexId nic = sketch.add(VertexKind::nic, i, 0);
    sketch.connect(sketch.add(VertexKind::gpu, i, 0), nic, LinkTier::pcie, rate, hop);
    sketch.connect(nic, network[below(switches)], LinkTier::nic, rate, hop);
  }
  return finished(std::move(sketch));
}

// All distances by relaxing every link until nothing changes; only GPUs and NICs hang off the
// network, so that no shortest path passes through one.
std::vector<double> plain_distances(const Topology& topology, VertexId to) {
  std::vector<double> distance(topology.vertices().size(), 1e9);
  distance[to.index] = 0.0;
  for (bool changed = true; changed;) {
    changed = false;
    for (const Link& link : topology.links())
      if (distance[link.to.index] + 1.0 < distance[link.from.index]) {
        distance[link.from.index] = distance[link.to.index] + 1.0;
        changed = true;
      }
  }
  return distance;
}

// Shares by link: at every vertex evenly over the links that lead nearer.
std::map<std::uint32_t, double> plain_shares(const Topology& topology, VertexId from, VertexId to) {
  const std::vector<double> distance = plain_distances(topology, to);
  std::map<std::uint32_t, double> at{{from.index, 1.0}}, shares;
  for (double left = distance[from.index]; left > 0.0; left -= 1.0) {
    std::map<std::uint32_t, double> next;
    for (const auto& [vertex, share] : at) {
      std::vector<std::uint32_t> onward;
      for (std::uint32_t i = 0; i < topology.links().size(); ++i) {
        const Link& link = topology.links()[i];
        if (link.from.index == vertex && distance[link.to.index] == left - 1.0) onward.push_back(i);
      }
      for (const std::uint32_t i : onward) {
        shares[i] += share / static_cast<double>(onward.size());
        next[topology.links()[i].to.index] += share / static_cast<double>(onward.size());
      }
    }
    at = std::move(next);
  }
  return shares;
}

TEST(Router, AgreesWithAPlainSearchOnRandomNetworks) {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    const Topology topology = random_network(random, 6, 3 + static_cast<std::uint32_t>(round));
    for (std::uint32_t from = 0; from < 6; ++from)
      for (std::uint32_t to = 0; to < 6; ++to) {
        if (from == to) continue;
        std::map<std::uint32_t, double> shares;
        for (const LinkShare& share : topology.route(GpuId{from}, GpuId{to}))
          shares[share.link.index] += share.share;
        const auto expected =
            plain_shares(topology, topology.vertex_of(GpuId{from}), topology.vertex_of(GpuId{to}));
        ASSERT_EQ(shares.size(), expected.size()) << round << ": " << from << " to " << to;
        for (const auto& [link, share] : expected)
          ASSERT_NEAR(shares[link], share, 1e-12) << round << ": " << from << " to " << to;
      }
  }
}

}  // namespace
}  // namespace stepcast

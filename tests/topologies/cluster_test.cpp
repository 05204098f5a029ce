#include "topologies/cluster.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/topologies/cluster_fixtures.hpp"

namespace stepcast {
namespace {

using test::count;
using test::toy_fabric;
using test::toy_server;

struct Row {
  const char* name;
  const char* gpu;
  std::int64_t gpus;
  double nvlink_gb, pcie_gb, nic_gb;  // per direction
  std::int64_t nics;
  double memory_gib;
  const char* cpu;
};

// NVLink: half of the data sheets' 600, 900 and 1800 GB/s both ways; PCIe: 16 or 32 GT/s x 16 lanes
// x 128/130 / 8; NICs: 200 or 400 Gb/s / 8; memory: as PyTorch reports it.
const std::vector<Row> data_sheets{
    {"dgx-a100", "a100-sxm-80gb", 8, 300, 31.5, 25, 8, 79.2154, "amd"},
    {"dgx-a100-40gb", "a100-sxm-40gb", 8, 300, 31.5, 25, 8, 39.39, "amd"},
    {"dgx-h100", "h100-sxm", 8, 450, 63, 50, 8, 79.18, "intel"},
    {"dgx-h200", "h200-sxm", 8, 450, 63, 50, 8, 139.8, "intel"},
    {"dgx-b200", "b200-sxm", 8, 900, 63, 50, 8, 178.35, "intel"},
    {"gb200-nvl72", "gb200", 72, 900, 63, 50, 72, 184.3, "arm"},
};

TEST(ServerPreset, SaysWhatTheDataSheetSays) {
  for (const Row& row : data_sheets) {
    const ServerSpec server = server_preset(row.name);
    EXPECT_EQ(server.name, row.name);
    EXPECT_EQ(server.gpu, row.gpu);
    EXPECT_EQ(server.gpus, row.gpus);
    EXPECT_EQ(server.nvlink_domain_gpus, row.gpus) << row.name;
    EXPECT_DOUBLE_EQ(server.nvlink_bandwidth.value(), row.nvlink_gb * 1e9) << row.name;
    EXPECT_DOUBLE_EQ(server.pcie_bandwidth.value(), row.pcie_gb * 1e9) << row.name;
    EXPECT_DOUBLE_EQ(server.nic_bandwidth.value(), row.nic_gb * 1e9) << row.name;
    EXPECT_EQ(server.nics, row.nics);
    EXPECT_NEAR(server.gpu_memory.value() / 1073741824.0, row.memory_gib, 1e-4) << row.name;
    EXPECT_EQ(server.cpu, row.cpu);
  }
}

TEST(ServerPreset, CarriesItsSourcesAndLabelsAssumptions) {
  for (const std::string& name : server_presets()) {
    const ServerSpec server = server_preset(name);
    EXPECT_GE(server.sources.size(), 3U) << name;
    EXPECT_THAT(server.sources, testing::Contains(testing::HasSubstr("assumption:"))) << name;
  }
}

TEST(ServerPreset, LatenciesMakeTheStepsOfNcclsTuner) {
  // NCCL ring steps, protocol LL: NVLink 0.6 us, network 2.7 us.
  const Cluster cluster = load_cluster("dgx-h100:2");
  EXPECT_NEAR(cluster.topology.latency(GpuId{0}, GpuId{1}).value(), 0.6e-6, 1e-12);
  EXPECT_NEAR(cluster.topology.latency(GpuId{0}, GpuId{8}).value(), 2.7e-6, 1e-12);
}

TEST(ServerPreset, CpuHostHasNoNvlink) {
  const Cluster cluster = load_cluster("cpu-host");
  EXPECT_EQ(cluster.server.gpu, "cpu");
  EXPECT_EQ(cluster.server.nvlink_domain_gpus, 1);
  EXPECT_EQ(count(cluster.topology, VertexKind::nvswitch), 0);
  EXPECT_EQ(cluster.topology.nvlink_domain_of(GpuId{1}), 1U);
}

TEST(BuildCluster, HasTheVerticesOfEightServers) {
  const Topology& topology = load_cluster("dgx-h100:8").topology;
  EXPECT_EQ(topology.gpu_count(), 64U);
  EXPECT_EQ(topology.node_count(), 8U);
  EXPECT_EQ(count(topology, VertexKind::nvswitch), 8);
  EXPECT_EQ(count(topology, VertexKind::nic), 64);
  EXPECT_EQ(count(topology, VertexKind::pcie_switch), 64);
  EXPECT_EQ(count(topology, VertexKind::cpu), 16);
  EXPECT_EQ(count(topology, VertexKind::leaf), 8);   // one for each rail
  EXPECT_EQ(count(topology, VertexKind::spine), 1);  // 8 leaves x 8 uplinks = 64 ports
  EXPECT_EQ(topology.nvlink_domain_of(GpuId{63}), 7U);
}

TEST(BuildCluster, LeavesTheNetworkOfOneServerAway) {
  const Cluster cluster = load_cluster("dgx-h100");
  EXPECT_EQ(cluster.name, "dgx-h100:1");
  EXPECT_EQ(count(cluster.topology, VertexKind::leaf), 0);
}

TEST(BuildCluster, UsesTheFirstGpusWhenToldHowMany) {
  const Cluster cluster =
      build_cluster(toy_server(), 3, toy_fabric(FabricKind::leaf_spine), Changes{.gpus = 9});
  EXPECT_EQ(cluster.topology.gpu_count(), 9U);
  EXPECT_EQ(cluster.topology.node_of(GpuId{8}), 2U);
  EXPECT_EQ(count(cluster.topology, VertexKind::nic), 9);
}

TEST(BuildCluster, DropsDeadServersAndKeepsTheNumbersOfOthers) {
  const Cluster cluster = build_cluster(toy_server(), 4, toy_fabric(FabricKind::leaf_spine),
                                        Changes{.dead_nodes = {0, 2}});
  EXPECT_EQ(cluster.topology.gpu_count(), 8U);
  EXPECT_EQ(cluster.topology.node_of(GpuId{0}), 1U);
  EXPECT_EQ(cluster.topology.node_of(GpuId{4}), 3U);
  EXPECT_EQ(cluster.topology.node_count(), 4U);
}

TEST(BuildCluster, SlowsALinkBothWaysAndNoOther) {
  const Changes slow{.slow_links = {{LinkTier::nic, 1, 2, 0.5}}};
  const Cluster cluster =
      build_cluster(toy_server(), 2, toy_fabric(FabricKind::rail_optimized), slow);
  int slowed = 0;
  for (const Link& link : cluster.topology.links())
    if (link.tier == LinkTier::nic && link.bandwidth == BytesPerSecond{5e9}) ++slowed;
  EXPECT_EQ(slowed, 2);
  EXPECT_EQ(cluster.topology.link(cluster.topology.route(GpuId{2}, GpuId{6})[3].link).bandwidth,
            BytesPerSecond{5e9});
}

TEST(BuildCluster, SlowsAllLinksOfAServerWithoutAnIndex) {
  const Changes slow{.slow_links = {{LinkTier::nvlink, 1, std::nullopt, 0.25}}};
  const Cluster cluster = build_cluster(toy_server(), 2, toy_fabric(FabricKind::leaf_spine), slow);
  int slowed = 0;
  for (const Link& link : cluster.topology.links())
    if (link.bandwidth == BytesPerSecond{25e9}) ++slowed;
  EXPECT_EQ(slowed, 4 * 2);
}

TEST(BuildCluster, WarnsOfNicsBehindNarrowPorts) {
  ServerSpec server = toy_server();
  server.nic_bandwidth = BytesPerSecond{50e9};
  EXPECT_THAT(
      build_cluster(server, 2, toy_fabric(FabricKind::single_switch)).warnings,
      testing::ElementsAre(
          "a NIC's 50 GB/s do not fit through its PCIe port's 20 GB/s: the port is the limit"));
}

TEST(BuildCluster, RefusesWhatCannotBeBuilt) {
  const auto message = [](const ServerSpec& server, std::int64_t nodes, const FabricSpec& fabric,
                          Changes changes) -> std::string {
    try {
      (void)build_cluster(server, nodes, fabric, std::move(changes));
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  FabricSpec fabric;
  EXPECT_EQ(message(toy_server(), 0, fabric, {}), "a cluster needs a server");
  EXPECT_EQ(message(toy_server(0, 0), 1, fabric, {}), "a server needs a GPU, and NICs >= 0");
  EXPECT_EQ(message(toy_server(4, 0), 2, fabric, {}), "servers without NICs cannot form a cluster");
  EXPECT_EQ(message(toy_server(), 2, fabric, {.gpus = 9}),
            "more GPUs in use than live servers have");
  EXPECT_EQ(message(toy_server(), 2, fabric, {.slow_links = {{LinkTier::core, 0, {}, 0.5}}}),
            "a slow link names no link of the cluster");
  EXPECT_EQ(message(toy_server(), 1, fabric, {.dead_nodes = {0}}), "a topology needs a GPU");
  fabric.nodes_per_leaf = 0;
  EXPECT_EQ(message(toy_server(), 2, fabric, {}), "a fabric's counts are >= 1");
  fabric = {};
  fabric.oversubscription = 0.0;
  EXPECT_EQ(message(toy_server(), 2, fabric, {}), "oversubscription must be > 0");
}

TEST(BuildCluster, RoutesTenThousandPairsOfAThousandServersInMemoryThatLinksTake) {
  // 8192 GPUs: exploring the whole network for each of 256 destination leaves would take minutes in
  // a sanitized build.
  const Cluster cluster = load_cluster("dgx-h100:1024");
  std::size_t links = 0;
  for (std::uint32_t i = 0; i < 10000; ++i)
    links += cluster.topology.route(GpuId{i * 37 % 8192}, GpuId{(i * 53 + 1) % 8192}).size();
  EXPECT_GT(links, 10000U * 6U);
}

}  // namespace
}  // namespace stepcast

#include "topologies/server_graph.hpp"

#include <gtest/gtest.h>

#include <map>

#include "tests/topologies/cluster_fixtures.hpp"

namespace stepcast {
namespace {

using test::toy_server;

struct Counts {
  std::map<VertexKind, std::int64_t> vertices;
  std::map<LinkTier, std::size_t> cables;
};

Counts counts_of(const ServerSpec& server, std::int64_t used) {
  GraphSketch sketch;
  (void)add_server(sketch, server, 0, used);
  Counts counts;
  for (const Vertex& vertex : sketch.vertices) ++counts.vertices[vertex.kind];
  for (const Link& link : sketch.links)
    if (link.from < link.to) ++counts.cables[link.tier];
  return counts;
}

TEST(ServerGraph, HasAPcieSwitchForEachNic) {
  // PCIe cables: 8 GPUs, 8 NICs, 8 switch uplinks, 1 between the sockets.
  Counts counts = counts_of(toy_server(8, 8), 8);
  EXPECT_EQ(counts.vertices[VertexKind::gpu], 8);
  EXPECT_EQ(counts.vertices[VertexKind::nvswitch], 1);
  EXPECT_EQ(counts.vertices[VertexKind::pcie_switch], 8);
  EXPECT_EQ(counts.vertices[VertexKind::cpu], 2);
  EXPECT_EQ(counts.vertices[VertexKind::nic], 8);
  EXPECT_EQ(counts.cables[LinkTier::nvlink], 8U);
  EXPECT_EQ(counts.cables[LinkTier::pcie], 25U);
}

TEST(ServerGraph, SharesFewerNicsBetweenNeighbours) {
  Counts counts = counts_of(toy_server(8, 4), 8);
  EXPECT_EQ(counts.vertices[VertexKind::pcie_switch], 4);
  EXPECT_EQ(counts.vertices[VertexKind::nic], 4);
  EXPECT_EQ(counts.cables[LinkTier::pcie], 8U + 4U + 4U + 1U);
}

TEST(ServerGraph, GivesAGpuSeveralNicsWhereThereAreMore) {
  Counts counts = counts_of(toy_server(2, 8), 2);
  EXPECT_EQ(counts.vertices[VertexKind::pcie_switch], 2);
  EXPECT_EQ(counts.cables[LinkTier::pcie], 2U + 8U + 2U + 1U);
}

TEST(ServerGraph, HangsGpusOnCpusWithoutNics) {
  Counts counts = counts_of(toy_server(4, 0), 4);
  EXPECT_EQ(counts.vertices[VertexKind::pcie_switch], 2);
  EXPECT_EQ(counts.vertices[VertexKind::nic], 0);
}

TEST(ServerGraph, LeavesOutWhatOnlyUnusedGpusAreNearTo) {
  Counts counts = counts_of(toy_server(8, 4), 3);  // GPUs 0 and 1 on switch 0, GPU 2 on switch 1
  EXPECT_EQ(counts.vertices[VertexKind::gpu], 3);
  EXPECT_EQ(counts.vertices[VertexKind::pcie_switch], 2);
  EXPECT_EQ(counts.vertices[VertexKind::nic], 2);
}

TEST(ServerGraph, MakesOneSwitchForEachNvlinkDomain) {
  ServerSpec server = toy_server(8, 8);
  server.nvlink_domain_gpus = 4;
  EXPECT_EQ(counts_of(server, 8).vertices[VertexKind::nvswitch], 2);
  server.nvlink_domain_gpus = 1;
  EXPECT_EQ(counts_of(server, 8).vertices[VertexKind::nvswitch], 0);
}

TEST(ServerGraph, LinksOnlyTheSocketsOfOneBoard) {
  ServerSpec server = toy_server(4, 4);
  server.cpus = 4;  // two boards
  GraphSketch sketch;
  (void)add_server(sketch, server, 0, 4);
  std::size_t between_sockets = 0;
  for (const Link& link : sketch.links)
    if (sketch.vertices[link.from.index].kind == VertexKind::cpu &&
        sketch.vertices[link.to.index].kind == VertexKind::cpu)
      ++between_sockets;
  EXPECT_EQ(between_sockets, 4U);  // 0-1 and 2-3, both ways
}

}  // namespace
}  // namespace stepcast

#include "topologies/topology.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include "tests/topologies/cluster_fixtures.hpp"

namespace stepcast {
namespace {

using test::toy_fabric;
using test::toy_server;

Link link(std::uint32_t from, std::uint32_t to, double bandwidth = 1e9) {
  return {VertexId{from}, VertexId{to}, LinkTier::nvlink, BytesPerSecond{bandwidth},
          microseconds(1.0)};
}

const std::vector<Vertex> two_gpus{{VertexKind::gpu, 0, 0}, {VertexKind::gpu, 0, 1}};

TEST(Topology, NamesKindsAndTiersAsDocumentsDo) {
  EXPECT_EQ(name_of(VertexKind::pcie_switch), "pcie_switch");
  EXPECT_EQ(name_of(VertexKind::core), "core");
  EXPECT_EQ(name_of(LinkTier::nvlink), "nvlink");
  EXPECT_EQ(name_of(LinkTier::core), "core");
}

TEST(Topology, OrdersGpusByNodeThenLocalWhateverTheVertexOrder) {
  const Topology topology(
      {{VertexKind::gpu, 1, 0}, {VertexKind::gpu, 0, 1}, {VertexKind::gpu, 0, 0}}, {}, {0, 1, 2});
  EXPECT_EQ(topology.vertex_of(GpuId{0}), VertexId{2});
  EXPECT_EQ(topology.vertex_of(GpuId{1}), VertexId{1});
  EXPECT_EQ(topology.vertex_of(GpuId{2}), VertexId{0});
  EXPECT_EQ(topology.node_of(GpuId{2}), 1U);
  EXPECT_EQ(topology.node_count(), 2U);
  EXPECT_EQ(topology.nvlink_domain_of(GpuId{2}), 2U);
}

TEST(Topology, RefusesWhatIsNotAGraphOfGpus) {
  const auto message = [](std::vector<Vertex> vertices, std::vector<Link> links,
                          std::vector<std::uint32_t> domains) -> std::string {
    try {
      const Topology topology(std::move(vertices), std::move(links), std::move(domains));
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({}, {}, {}), "a topology needs a GPU");
  EXPECT_EQ(message({{VertexKind::nic, 0, 0}}, {}, {}), "a topology needs a GPU");
  EXPECT_EQ(message(two_gpus, {link(0, 2)}, {0, 0}), "a link ends at a vertex that does not exist");
  EXPECT_EQ(message(two_gpus, {link(0, 1, 0.0)}, {0, 0}),
            "a link needs a bandwidth > 0 and a latency >= 0");
  EXPECT_EQ(message(two_gpus, {}, {0}), "every GPU needs its NVLink domain");
  EXPECT_EQ(message(two_gpus, {link(0, 1)}, {0, 0}), "");
}

TEST(Topology, RouteToItselfIsEmpty) {
  const Topology topology(two_gpus, {}, {0, 1});
  EXPECT_TRUE(topology.route(GpuId{1}, GpuId{1}).empty());
  EXPECT_EQ(topology.latency(GpuId{1}, GpuId{1}), Seconds{});
}

TEST(Topology, ThrowsWhenNotConnectedInThatDirection) {
  const Topology topology(two_gpus, {link(0, 1)}, {0, 0});
  EXPECT_EQ(topology.route(GpuId{0}, GpuId{1}).size(), 1U);
  EXPECT_THROW((void)topology.route(GpuId{1}, GpuId{0}), std::domain_error);
}

TEST(Topology, SumsLatencyOverOnePath) {
  const Cluster cluster = build_cluster(toy_server(), 4, toy_fabric(FabricKind::rail_optimized));
  // NVLink 1 us twice; PCIe 2 us twice at each end; network 3 us a link: leaf only, or leaf, spine,
  // leaf.
  EXPECT_NEAR(cluster.topology.latency(GpuId{0}, GpuId{1}).value(), 2e-6, 1e-15);
  EXPECT_NEAR(cluster.topology.latency(GpuId{0}, GpuId{4}).value(), 8e-6 + 6e-6, 1e-15);
  EXPECT_NEAR(cluster.topology.latency(GpuId{0}, GpuId{5}).value(), 8e-6 + 12e-6, 1e-15);
}

TEST(Topology, KeepsRoutesInPlaceWhileOthersAreAdded) {
  const Cluster cluster = build_cluster(toy_server(), 8, toy_fabric(FabricKind::rail_optimized));
  const std::vector<LinkShare>* first = &cluster.topology.route(GpuId{0}, GpuId{31});
  for (std::uint32_t gpu = 0; gpu < 32; ++gpu) (void)cluster.topology.route(GpuId{gpu}, GpuId{5});
  EXPECT_EQ(&cluster.topology.route(GpuId{0}, GpuId{31}), first);
}

TEST(Topology, AnswersManyThreadsAlike) {
  const Cluster alone = build_cluster(toy_server(), 8, toy_fabric(FabricKind::leaf_spine));
  const Cluster shared = build_cluster(toy_server(), 8, toy_fabric(FabricKind::leaf_spine));
  std::vector<std::thread> threads;
  for (std::uint32_t offset = 0; offset < 4; ++offset)
    threads.emplace_back([&shared, offset] {
      for (std::uint32_t i = 0; i < 32 * 32; ++i) {
        const std::uint32_t pair = (i + offset * 257) % (32 * 32);
        (void)shared.topology.route(GpuId{pair / 32}, GpuId{pair % 32});
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (std::uint32_t i = 0; i < 32 * 32; ++i)
    EXPECT_EQ(test::route_text(shared.topology, i / 32, i % 32),
              test::route_text(alone.topology, i / 32, i % 32));
}

}  // namespace
}  // namespace stepcast

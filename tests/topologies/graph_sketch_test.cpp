#include "topologies/graph_sketch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace stepcast {
namespace {

TEST(GraphSketch, ConnectsBothWays) {
  GraphSketch sketch;
  const VertexId a = sketch.add(VertexKind::gpu, 2, 3);
  const VertexId b = sketch.add(VertexKind::pcie_switch, 2, 0);
  sketch.connect(a, b, LinkTier::pcie, BytesPerSecond{5e9}, microseconds(1.0));
  EXPECT_EQ(sketch.vertices[0].node, 2U);
  EXPECT_EQ(sketch.vertices[0].local, 3U);
  ASSERT_EQ(sketch.links.size(), 2U);
  EXPECT_EQ(sketch.links[0].from, sketch.links[1].to);
  EXPECT_EQ(sketch.links[0].to, sketch.links[1].from);
  EXPECT_EQ(sketch.links[1].bandwidth, BytesPerSecond{5e9});
}

TEST(GraphSketch, NumbersNvlinkDomainsByFirstGpu) {
  GraphSketch sketch;
  std::vector<VertexId> gpus;
  for (std::int64_t i = 0; i < 5; ++i) gpus.push_back(sketch.add(VertexKind::gpu, 0, i));
  const VertexId nvswitch = sketch.add(VertexKind::nvswitch, 0, 0);
  for (const std::size_t i : {1U, 3U})
    sketch.connect(gpus[i], nvswitch, LinkTier::nvlink, BytesPerSecond{1.0}, Seconds{});
  sketch.connect(gpus[0], gpus[4], LinkTier::nvlink, BytesPerSecond{1.0}, Seconds{});
  sketch.connect(gpus[0], gpus[2], LinkTier::pcie, BytesPerSecond{1.0}, Seconds{});
  EXPECT_THAT(nvlink_domains(sketch), testing::ElementsAre(0, 1, 2, 1, 0));
}

TEST(GraphSketch, FinishesOnlyWholeGraphs) {
  GraphSketch sketch;
  const VertexId gpu = sketch.add(VertexKind::gpu, 0, 0);
  sketch.connect(gpu, VertexId{7}, LinkTier::pcie, BytesPerSecond{1.0}, Seconds{});
  EXPECT_THROW((void)finished(sketch), std::invalid_argument);
}

}  // namespace
}  // namespace stepcast

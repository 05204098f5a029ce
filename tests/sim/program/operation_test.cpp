#include "sim/program/operation.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

Kernel kernel(const char* name) { return {name, MemoryCall{Bytes{1}}, CostKind::memory_bound}; }
const Communication reduce{GroupKind::tensor, CollectiveOp::all_reduce, Bytes{8},
                           Engines::multiprocessors};

using Indices = std::vector<std::uint32_t>;

TEST(BlockBuilder, JoinsKernelsThatNothingSeparates) {
  BlockBuilder builder;
  builder.compute(kernel("a"));
  builder.compute(kernel("b"));
  const Block block = builder.take();
  ASSERT_EQ(block.operations.size(), 1U);
  EXPECT_EQ(std::get<Compute>(block.operations[0].work).kernels.size(), 2U);
  EXPECT_EQ(block.exits, (Indices{0}));
}

TEST(BlockBuilder, BlockingCommunicationStandsBetweenItsNeighbours) {
  BlockBuilder builder;
  builder.compute(kernel("a"));
  builder.blocking("reduce", Lane::tensor, reduce);
  builder.compute(kernel("b"));
  const Block block = builder.take();
  ASSERT_EQ(block.operations.size(), 3U);
  EXPECT_EQ(block.operations[1].after, (Indices{0}));
  EXPECT_EQ(block.operations[2].after, (Indices{1}));
}

TEST(BlockBuilder, LaunchedCommunicationRunsBesideTheNextKernel) {
  BlockBuilder builder;
  builder.compute(kernel("dgrad"));
  const BlockBuilder::Handle handle = builder.launch("reduce", Lane::tensor, reduce);
  builder.compute(kernel("wgrad"));
  builder.wait(handle);
  const Block block = builder.take();
  ASSERT_EQ(block.operations.size(), 3U);
  EXPECT_EQ(block.operations[1].after, (Indices{0}));
  EXPECT_TRUE(block.operations[2].after.empty());
  // The block ends when both have.
  EXPECT_EQ(block.exits, (Indices{1, 2}));
}

TEST(BlockBuilder, SeparatesRecomputedKernels) {
  BlockBuilder builder;
  builder.mark_recompute(true);
  builder.compute(kernel("forward again"));
  builder.mark_recompute(false);
  builder.compute(kernel("backward"));
  const Block block = builder.take();
  ASSERT_EQ(block.operations.size(), 2U);
  EXPECT_TRUE(std::get<Compute>(block.operations[0].work).recompute);
  EXPECT_FALSE(std::get<Compute>(block.operations[1].work).recompute);
}

TEST(BlockBuilder, KernelsWaitForTheLayerThatTheHostIssuedBefore) {
  BlockBuilder builder;
  builder.issue(Seconds{1});
  builder.compute(kernel("layer 0"));
  builder.issue(Seconds{1});
  builder.compute(kernel("layer 1"));
  const Block block = builder.take();
  ASSERT_EQ(block.operations.size(), 4U);
  EXPECT_TRUE(block.operations[1].after.empty());
  EXPECT_EQ(block.operations[2].after, (Indices{0}));  // issues follow each other
  EXPECT_EQ(block.operations[3].after, (Indices{0}));
  EXPECT_EQ(block.exits, (Indices{3, 2}));  // the end waits for the last issue
}

TEST(BlockBuilder, GatherIsAwaitedByTheNextKernelOnly) {
  BlockBuilder builder;
  builder.wait_for_gather(3);
  builder.compute(kernel("a"));
  builder.compute(kernel("b"));
  const Block block = builder.take();
  ASSERT_EQ(block.operations.size(), 1U);
  EXPECT_EQ(block.operations[0].after_gather, 3U);
}

}  // namespace
}  // namespace stepcast

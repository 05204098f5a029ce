#include "sim/program/operation_cost.hpp"

#include <gtest/gtest.h>

#include "tests/sim/program/program_fixtures.hpp"

namespace stepcast {
namespace {

struct OperationCostTest : testing::Test {
  test::PlainCosts costs;
  Profile profile = test::plain_profile();
  Cluster cluster = load_cluster("dgx-h100:1");
  CollectiveModel collectives{cluster, profile, costs};
  OperationCosts operations{profile, costs, collectives};
};

TEST_F(OperationCostTest, AddsKernelsAndGapsByKind) {
  costs.gap = Seconds{0.5};
  const Compute work{
      {{"product", GemmCall{{4, 2, 2}, DataType::bf16, GemmPass::forward}, CostKind::gemm},
       {"copy", MemoryCall{Bytes{3}, MemoryKernel::fused}, CostKind::memory_bound}},
      false};
  const CostedOperation cost = operations.compute(work);
  EXPECT_DOUBLE_EQ(cost.duration.value(), 4 + 3 + 2 * 0.5);
  EXPECT_DOUBLE_EQ(cost.parts.seconds[static_cast<std::size_t>(CostKind::gemm)].value(), 4);
  EXPECT_DOUBLE_EQ(cost.parts.seconds[static_cast<std::size_t>(CostKind::memory_bound)].value(), 3);
  EXPECT_DOUBLE_EQ(cost.parts.host.value(), 1);
  EXPECT_DOUBLE_EQ(cost.parts.hardware_flops.value(), 2 * 4 * 2 * 2);
  EXPECT_DOUBLE_EQ(cost.parts.by_basis[static_cast<std::size_t>(Basis::measured)].value(), 4);
}

TEST_F(OperationCostTest, ReservedMultiprocessorsSlowTheProduct) {
  Kernel kernel{"product", GemmCall{{90, 1, 1}, DataType::bf16, GemmPass::forward}, CostKind::gemm,
                10};
  // 90 s on 100 multiprocessors is 100 s on 90.
  EXPECT_DOUBLE_EQ(operations.compute({{kernel}, false}).duration.value(), 100);
}

// Flash attention executes 2 products forward and 5 backward; causal counts half the square.
TEST_F(OperationCostTest, CountsExecutedAttentionFlops) {
  const AttentionShape shape{1, 8192, 8192, 32, 8, 128, true};
  const auto flops = [&](AttentionPass pass) {
    const Compute work{
        {{"attention", AttentionCall{shape, pass, AttentionKernel::flash2}, CostKind::attention}},
        false};
    return operations.compute(work).parts.hardware_flops.value();
  };
  EXPECT_EQ(flops(AttentionPass::forward),
            549755813888.0);  // vector flops/flash_attention_hw_llama3_8b
  EXPECT_EQ(flops(AttentionPass::backward), 1374389534720.0);
}

TEST_F(OperationCostTest, NcclHoldsMultiprocessorsAndCopyEnginesDoNot) {
  const Placement placement = place_groups(cluster, {{0, 1, 2, 3}});
  const auto cost = [&](Engines engines) {
    return operations.communication(CollectiveOp::all_reduce, Bytes{1e8}, engines, placement);
  };
  EXPECT_EQ(cost(Engines::multiprocessors).held_share, 0.25);
  EXPECT_EQ(cost(Engines::multiprocessors).speed_beside_compute, 0.5);
  EXPECT_EQ(cost(Engines::copy).held_share, 0.0);
  EXPECT_EQ(cost(Engines::reserved).held_share, 0.0);
}

TEST_F(OperationCostTest, LinkUseIsAShareOfTheLinksTime) {
  const Placement placement = place_groups(cluster, {{0, 1, 2, 3}});
  const CostedOperation cost = operations.communication(CollectiveOp::all_gather, Bytes{1e9},
                                                        Engines::multiprocessors, placement);
  ASSERT_FALSE(cost.use.empty());
  for (const TierUse& use : cost.use) {
    EXPECT_GT(use.seconds_per_byte, 0.0);
    EXPECT_LE(use.seconds_per_byte, 1.0);
  }
}

}  // namespace
}  // namespace stepcast

#include "sim/program/layer.hpp"

#include <gtest/gtest.h>

#include "tests/sim/program/program_fixtures.hpp"

namespace stepcast {
namespace {

using test::backward;
using test::calls_of;
using test::count;
using test::forward;
using test::kernels_of;
using test::products;
using test::run_with;

// SEMANTICS 2.3 with T = 128, h = 512, a = 8, k = 4, d = 64, f = 1024 and t = 2.
TEST(Layer, ForwardProductsHaveTheShardedShapes) {
  const auto run = run_with({"parallel.tensor=2"});
  EXPECT_EQ(products(forward(run)),
            (std::vector<GemmShape>{{128, 512, 512},     // qkv: (8 + 2 * 4) 64 / 2
                                    {128, 512, 256},     // projection
                                    {128, 1024, 512},    // fc1, gate and up
                                    {128, 512, 512}}));  // fc2
}

TEST(Layer, BackwardHasOneDgradAndOneWgradForEachForwardProduct) {
  const auto run = run_with({"parallel.tensor=2"});
  EXPECT_EQ(products(backward(run)), (std::vector<GemmShape>{{128, 512, 512},
                                                             {512, 512, 128},  // fc2
                                                             {128, 512, 1024},
                                                             {1024, 512, 128},  // fc1
                                                             {128, 256, 512},
                                                             {512, 256, 128},  // projection
                                                             {128, 512, 512},
                                                             {512, 512, 128}}));  // qkv
}

TEST(Layer, FullRecomputeRepeatsTheForwardWithItsCollectives) {
  const auto run = run_with(
      {"parallel.tensor=2", "parallel.sequence_parallel=false", "training.recompute=full"});
  const Block block = backward(run, true);
  EXPECT_EQ(products(block).size(), 12U);
  EXPECT_EQ(calls_of(block, Lane::tensor).size(), 4U);
}

TEST(Layer, FewerKeyValueHeadsThanRanksNeedAGather) {
  const auto run = run_with({"parallel.tensor=8", "parallel.sequence_parallel=false"});
  const auto calls = calls_of(forward(run), Lane::tensor);
  EXPECT_EQ(count(calls, CollectiveOp::all_gather), 1U);
  EXPECT_EQ(count(calls_of(backward(run), Lane::tensor), CollectiveOp::reduce_scatter), 1U);
}

TEST(Layer, HeadReducesTheLossOverTheTensorGroup) {
  const auto run = run_with({"parallel.tensor=2", "parallel.sequence_parallel=false"});
  for (const auto& [release, calls] :
       {std::pair{"megatron-core", 2U}, std::pair{"megatron-2022", 3U}}) {
    BlockBuilder block;
    LayerWriter(run, framework_rules(Framework::megatron, release), 9.0).head_forward(block);
    EXPECT_EQ(calls_of(block.take(), Lane::tensor).size(), calls) << release;
  }
}

TEST(Layer, HeadStaysInSixteenBitsUnderFp8) {
  const auto run = run_with({"training.precision=fp8"});
  BlockBuilder block;
  LayerWriter(run, framework_rules(Framework::megatron, ""), 9.0).head_forward(block);
  for (const Kernel& kernel : kernels_of(block.take()))
    if (const auto* call = std::get_if<GemmCall>(&kernel.call)) {
      EXPECT_EQ(call->type, DataType::bf16);
    }
}

}  // namespace
}  // namespace stepcast

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
using test::run_of_vector;
using test::run_with;
using test::shape_of;
using test::vectors;

TEST(LayerLinear, WithoutTensorParallelismNothingIsSent) {
  const auto run = run_with({});
  EXPECT_TRUE(calls_of(forward(run), Lane::tensor).empty());
  EXPECT_TRUE(calls_of(backward(run), Lane::tensor).empty());
}

// SEMANTICS 2.2: without sequence parallel two all-reduces each way, of X = T h 2 bytes.
TEST(LayerLinear, TensorParallelismReducesTwiceEachWay) {
  const auto run = run_with({"parallel.tensor=2", "parallel.sequence_parallel=false"});
  for (const Block& block : {forward(run), backward(run)}) {
    const auto calls = calls_of(block, Lane::tensor);
    ASSERT_EQ(calls.size(), 2U);
    for (const test::Call& call : calls) {
      EXPECT_EQ(call.op, CollectiveOp::all_reduce);
      EXPECT_EQ(call.size, 128 * 512 * 2);
    }
  }
}

// With it: 2 gathers and 2 scatters forward, 4 and 2 backward.
TEST(LayerLinear, SequenceParallelismGathersInputsAgainInBackward) {
  const auto run = run_with({"parallel.tensor=2", "parallel.sequence_parallel=true"});
  const auto ahead = calls_of(forward(run), Lane::tensor);
  EXPECT_EQ(count(ahead, CollectiveOp::all_gather), 2U);
  EXPECT_EQ(count(ahead, CollectiveOp::reduce_scatter), 2U);
  const auto back = calls_of(backward(run), Lane::tensor);
  EXPECT_EQ(count(back, CollectiveOp::all_gather), 4U);
  EXPECT_EQ(count(back, CollectiveOp::reduce_scatter), 2U);
}

TEST(LayerLinear, InputGradientReductionRunsBesideTheWeightGradient) {
  const auto run = run_with({"parallel.tensor=2", "parallel.sequence_parallel=false"});
  const Block block = backward(run);
  int reductions = 0;
  for (std::size_t i = 0; i + 1 < block.operations.size(); ++i) {
    if (block.operations[i].name != "input-gradient all-reduce") continue;
    ++reductions;
    const auto& next = std::get<Compute>(block.operations[i + 1].work);
    EXPECT_NE(next.kernels.front().name.find("wgrad"), std::string::npos);
    EXPECT_TRUE(block.operations[i + 1].after.empty()) << "the weight gradient must not wait";
  }
  EXPECT_EQ(reductions, 2);  // fc1 and qkv
}

TEST(LayerLinear, The2021ReleaseWaitsForTheInputGradientReduction) {
  const auto run = run_with({"parallel.tensor=2", "parallel.sequence_parallel=false"});
  const Block block = backward(run, false, "megatron-2021");
  std::vector<std::uint32_t> reductions;
  for (std::uint32_t i = 0; i < block.operations.size(); ++i)
    if (block.operations[i].name == "input-gradient all-reduce") reductions.push_back(i);
  ASSERT_EQ(reductions.size(), 2U);  // fc1 and qkv
  for (const std::uint32_t reduction : reductions)
    EXPECT_EQ(block.operations.at(reduction + 1).after, std::vector<std::uint32_t>{reduction});
}

// SEMANTICS 2.6: t parts of each gathered product, four of each scattered one.
TEST(LayerLinear, UserBuffersCutProductsIntoParts) {
  const auto run =
      run_with({"parallel.tensor=2", "parallel.sequence_parallel=true", "overlap.tensor=true"});
  EXPECT_EQ(products(forward(run)).size(), 2U + 4U + 2U + 4U);
  std::size_t reserved = 0;
  for (const Kernel& kernel : kernels_of(forward(run)))
    reserved += kernel.reserved_multiprocessors > 0;
  EXPECT_EQ(reserved, 8U);
}

TEST(LayerLinear, MatchesTheTensorParallelVectors) {
  const nlohmann::json all = vectors();
  if (all.is_null()) GTEST_SKIP() << "semantics_vectors.json is not beside this checkout";
  int tested = 0;
  for (const nlohmann::json& vector : all.at("vectors")) {
    const std::string id = vector.at("id");
    const nlohmann::json& expected = vector.at("expected");
    if (!expected.contains("gemms_mnk")) continue;
    SCOPED_TRACE(id);
    const auto run = run_of_vector(all, vector.at("inputs"), true);
    const nlohmann::json& gemms = expected.at("gemms_mnk");
    std::vector<GemmShape> ahead, back;
    for (const char* name : {"qkv", "proj", "fc1", "fc2"})
      ahead.push_back(shape_of(gemms.at(name).at("fprop")));
    for (const char* name : {"fc2", "fc1", "proj", "qkv"}) {
      back.push_back(shape_of(gemms.at(name).at("dgrad")));
      back.push_back(shape_of(gemms.at(name).at("wgrad")));
    }
    EXPECT_EQ(products(forward(run)), ahead);
    EXPECT_EQ(products(backward(run)), back);
    const double ranks = vector.at("inputs").at("tp");
    const auto wire = [&](const Block& block) {
      double bytes = 0.0;
      for (const test::Call& call : calls_of(block, Lane::tensor))
        bytes +=
            call.size * (ranks - 1.0) / ranks * (call.op == CollectiveOp::all_reduce ? 2.0 : 1.0);
      return bytes;
    };
    EXPECT_EQ(wire(forward(run)), expected.at("sp").at("wire_bytes_per_rank_fwd").get<double>());
    EXPECT_EQ(wire(backward(run)), expected.at("sp").at("wire_bytes_per_rank_bwd").get<double>());
    const auto plain = run_of_vector(all, vector.at("inputs"), false);
    EXPECT_EQ(wire(forward(plain)),
              expected.at("no_sp").at("wire_bytes_per_rank_fwd").get<double>());
    EXPECT_EQ(wire(backward(plain)),
              expected.at("no_sp").at("wire_bytes_per_rank_bwd").get<double>());
    ++tested;
  }
  EXPECT_GE(tested, 5);
}

}  // namespace
}  // namespace stepcast

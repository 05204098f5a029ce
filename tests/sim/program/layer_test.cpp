#include "sim/program/layer.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/sim/program/program_fixtures.hpp"

namespace stepcast {
namespace {

using test::calls_of;
using test::count;
using test::kernels_of;
using test::run_with;

Block forward(const Run& run, const std::string& release = "") {
  BlockBuilder block;
  LayerWriter(run, framework_rules(run.framework, release), 9.0).layer_forward(block);
  return block.take();
}
Block backward(const Run& run, bool whole_layer = false, const std::string& release = "") {
  BlockBuilder block;
  LayerWriter(run, framework_rules(run.framework, release), 9.0).layer_backward(block, whole_layer);
  return block.take();
}

std::vector<GemmShape> products(const Block& block) {
  std::vector<GemmShape> shapes;
  for (const Kernel& kernel : kernels_of(block))
    if (const auto* call = std::get_if<GemmCall>(&kernel.call)) shapes.push_back(call->shape);
  return shapes;
}

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

TEST(Layer, WithoutTensorParallelismNothingIsSent) {
  const auto run = run_with({});
  EXPECT_TRUE(calls_of(forward(run), Lane::tensor).empty());
  EXPECT_TRUE(calls_of(backward(run), Lane::tensor).empty());
}

// SEMANTICS 2.2: without sequence parallel two all-reduces each way, of X = T h 2 bytes.
TEST(Layer, TensorParallelismReducesTwiceEachWay) {
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
TEST(Layer, SequenceParallelismGathersInputsAgainInBackward) {
  const auto run = run_with({"parallel.tensor=2", "parallel.sequence_parallel=true"});
  const auto ahead = calls_of(forward(run), Lane::tensor);
  EXPECT_EQ(count(ahead, CollectiveOp::all_gather), 2U);
  EXPECT_EQ(count(ahead, CollectiveOp::reduce_scatter), 2U);
  const auto back = calls_of(backward(run), Lane::tensor);
  EXPECT_EQ(count(back, CollectiveOp::all_gather), 4U);
  EXPECT_EQ(count(back, CollectiveOp::reduce_scatter), 2U);
}

TEST(Layer, FullRecomputeRepeatsTheForwardWithItsCollectives) {
  const auto run = run_with(
      {"parallel.tensor=2", "parallel.sequence_parallel=false", "training.recompute=full"});
  const Block block = backward(run, true);
  EXPECT_EQ(products(block).size(), 12U);
  EXPECT_EQ(calls_of(block, Lane::tensor).size(), 4U);
}

TEST(Layer, SelectiveRecomputeRepeatsOnlyTheAttentionCore) {
  const auto none = run_with({});
  const auto selective = run_with({"training.recompute=selective"});
  EXPECT_EQ(products(backward(selective)), products(backward(none)));
  std::size_t repeated = 0;
  for (const Operation& operation : backward(selective).operations)
    if (const auto* compute = std::get_if<Compute>(&operation.work); compute && compute->recompute)
      for (const Kernel& kernel : compute->kernels) {
        EXPECT_EQ(kernel.name, "attention forward");
        ++repeated;
      }
  EXPECT_EQ(repeated, 1U);
}

TEST(Layer, InputGradientReductionRunsBesideTheWeightGradient) {
  const auto run = run_with({"parallel.tensor=2", "parallel.sequence_parallel=false"});
  const Block block = backward(run);
  for (std::size_t i = 0; i + 1 < block.operations.size(); ++i) {
    if (block.operations[i].name != "input-gradient all-reduce") continue;
    const auto& next = std::get<Compute>(block.operations[i + 1].work);
    EXPECT_NE(next.kernels.front().name.find("wgrad"), std::string::npos);
    EXPECT_TRUE(block.operations[i + 1].after.empty()) << "the weight gradient must not wait";
  }
}

TEST(Layer, The2021ReleaseWaitsForTheInputGradientReduction) {
  const auto run = run_with({"parallel.tensor=2", "parallel.sequence_parallel=false"});
  const Block block = backward(run, false, "megatron-2021");
  for (std::size_t i = 0; i < block.operations.size(); ++i)
    if (block.operations[i].name == "input-gradient all-reduce" &&
        i + 1 < block.operations.size()) {
      const std::vector<std::uint32_t> after{static_cast<std::uint32_t>(i)};
      EXPECT_EQ(block.operations[i + 1].after, after);
    }
}

// SEMANTICS 2.6: t parts of each gathered product, four of each scattered one.
TEST(Layer, UserBuffersCutProductsIntoParts) {
  const auto run =
      run_with({"parallel.tensor=2", "parallel.sequence_parallel=true", "overlap.tensor=true"});
  EXPECT_EQ(products(forward(run)).size(), 2U + 4U + 2U + 4U);
  std::size_t reserved = 0;
  for (const Kernel& kernel : kernels_of(forward(run)))
    reserved += kernel.reserved_multiprocessors > 0;
  EXPECT_EQ(reserved, 8U);
}

TEST(Layer, FewerKeyValueHeadsThanRanksNeedAGather) {
  const auto run = run_with({"parallel.tensor=8", "parallel.sequence_parallel=false"});
  const auto calls = calls_of(forward(run), Lane::tensor);
  EXPECT_EQ(count(calls, CollectiveOp::all_gather), 1U);
  EXPECT_EQ(count(calls_of(backward(run), Lane::tensor), CollectiveOp::reduce_scatter), 1U);
}

// SEMANTICS 3.2, 3.3: c steps, c - 1 sends of K = 2 n b k d 2 bytes forward, 2 K (c - 1) backward.
TEST(Layer, RingAttentionSendsKeysAndValuesRound) {
  const auto run = run_with({"parallel.context=4"});
  const double kv = 2.0 * 32 * 4 * 64 * 2;
  const auto ahead = calls_of(forward(run), Lane::context);
  ASSERT_EQ(ahead.size(), 3U);
  for (const test::Call& call : ahead) EXPECT_EQ(call.size, kv);
  double bytes = 0.0;
  for (const test::Call& call : calls_of(backward(run), Lane::context)) bytes += call.size;
  EXPECT_EQ(bytes, 2.0 * kv * 3.0);
}

TEST(Layer, RingStepsAreBalanced) {
  const auto run = run_with({"parallel.context=4"});
  std::vector<AttentionShape> shapes;
  for (const Kernel& kernel : kernels_of(forward(run)))
    if (const auto* call = std::get_if<AttentionCall>(&kernel.call)) shapes.push_back(call->shape);
  ASSERT_EQ(shapes.size(), 4U);
  EXPECT_EQ(shapes[0], (AttentionShape{1, 32, 32, 8, 4, 64, true}));
  EXPECT_EQ(shapes[1], (AttentionShape{1, 32, 16, 8, 4, 64, false}));
  EXPECT_EQ(shapes[3], shapes[1]);
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

nlohmann::json vectors() {
  std::ifstream file(STEPCAST_SOURCE_DIR "/../shared/design/semantics_vectors.json");
  return file ? nlohmann::json::parse(file) : nlohmann::json();
}

// The model of a vector as a run of one layer's worth of settings.
Run run_of_vector(const nlohmann::json& all, const nlohmann::json& inputs, bool sequence_parallel) {
  const nlohmann::json& m = all.at("models").at(inputs.at("model").get<std::string>());
  const std::int64_t t = inputs.at("tp"), c = inputs.at("cp"), b = inputs.at("b");
  const nlohmann::json document{
      {"model",
       {{"name", "vector"},
        {"layers", m.at("L")},
        {"hidden", m.at("h")},
        {"heads", m.at("a")},
        {"kv_heads", m.at("kv")},
        {"head_dim", m.at("d")},
        {"ffn", m.at("f")},
        {"vocabulary", m.at("V")},
        {"gated_mlp", m.at("gated")}}},
      {"cluster", {{"server", "dgx-h100"}, {"gpus", t * c}}},
      {"parallel",
       {{"tensor", t}, {"context", c}, {"data", 1}, {"sequence_parallel", sequence_parallel}}},
      {"training", {{"sequence_length", inputs.at("s")}, {"global_batch", b}, {"micro_batch", b}}}};
  return parse_run("vector", document);
}

GemmShape shape_of(const nlohmann::json& mnk) { return {mnk[0], mnk[1], mnk[2]}; }

TEST(Layer, MatchesTheTensorParallelVectors) {
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

TEST(Layer, MatchesTheContextParallelVectors) {
  const nlohmann::json all = vectors();
  if (all.is_null()) GTEST_SKIP() << "semantics_vectors.json is not beside this checkout";
  int tested = 0;
  for (const nlohmann::json& vector : all.at("vectors")) {
    const nlohmann::json& expected = vector.at("expected");
    if (!expected.contains("p2p")) continue;
    SCOPED_TRACE(vector.at("id").get<std::string>());
    const nlohmann::json& ring = expected.at("p2p");
    const auto run = run_of_vector(all, vector.at("inputs"), vector.at("inputs").at("tp") > 1);
    const auto sent = [&](const Block& block) {
      double bytes = 0.0;
      for (const test::Call& call : calls_of(block, Lane::context)) bytes += call.size;
      return bytes;
    };
    EXPECT_EQ(calls_of(forward(run), Lane::context).size(),
              ring.at("fwd_sends").get<std::size_t>());
    EXPECT_EQ(sent(forward(run)), ring.at("fwd_bytes_sent").get<double>());
    EXPECT_EQ(calls_of(backward(run), Lane::context).size(),
              ring.at("bwd_messages").get<std::size_t>());
    EXPECT_EQ(sent(backward(run)), ring.at("bwd_bytes_sent_TE_bf16").get<double>());
    ++tested;
  }
  EXPECT_GE(tested, 3);
}

}  // namespace
}  // namespace stepcast

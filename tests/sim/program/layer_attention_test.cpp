#include "sim/program/layer.hpp"

#include <gtest/gtest.h>

#include "tests/sim/program/program_fixtures.hpp"

namespace stepcast {
namespace {

using test::backward;
using test::calls_of;
using test::forward;
using test::kernels_of;
using test::products;
using test::run_of_vector;
using test::run_with;
using test::vectors;

TEST(LayerAttention, SelectiveRecomputeRepeatsOnlyTheAttentionCore) {
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

// SEMANTICS 3.2, 3.3: c steps, c - 1 sends of K = 2 n b k d 2 bytes forward, 2 K (c - 1) backward.
TEST(LayerAttention, RingAttentionSendsKeysAndValuesRound) {
  const auto run = run_with({"parallel.context=4"});
  const double kv = 2.0 * 32 * 4 * 64 * 2;
  const auto ahead = calls_of(forward(run), Lane::context);
  ASSERT_EQ(ahead.size(), 3U);
  for (const test::Call& call : ahead) EXPECT_EQ(call.size, kv);
  double bytes = 0.0;
  for (const test::Call& call : calls_of(backward(run), Lane::context)) bytes += call.size;
  EXPECT_EQ(bytes, 2.0 * kv * 3.0);
}

TEST(LayerAttention, RingStepsAreBalanced) {
  const auto run = run_with({"parallel.context=4"});
  std::vector<AttentionShape> shapes;
  for (const Kernel& kernel : kernels_of(forward(run)))
    if (const auto* call = std::get_if<AttentionCall>(&kernel.call)) shapes.push_back(call->shape);
  ASSERT_EQ(shapes.size(), 4U);
  EXPECT_EQ(shapes[0], (AttentionShape{1, 32, 32, 8, 4, 64, true}));
  EXPECT_EQ(shapes[1], (AttentionShape{1, 32, 16, 8, 4, 64, false}));
  EXPECT_EQ(shapes[3], shapes[1]);
}

TEST(LayerAttention, MatchesTheContextParallelVectors) {
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

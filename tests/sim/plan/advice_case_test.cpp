#include "sim/plan/advice_case.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/plan/advice_fixtures.hpp"

namespace stepcast {
namespace {

using test::advice_request;
using test::h100;

TEST(AdviceCase, RingMessageIsOfTheSemantics) {
  // SEMANTICS 3.3, 405B at 131072 tokens, t = 8, c = 16: 2 * 8192 * 1 head * 128 * 2 bytes.
  auto run = advice_request("llama-3-405b", 16, 131072, 8).bases.front();
  run.parallel.tensor = 8;
  run.parallel.context = 16;
  EXPECT_EQ(ring_message(run).value(), 4194304.0);
}

TEST(AdviceCase, ActivationsOfALayerAreOfTheSemantics) {
  // SEMANTICS 6.2: 70B, 8192 tokens, t = 8 with sequence parallelism: 2.813e8 bytes (without what
  // the fused logit statistics add).
  const SearchRequest request = advice_request("llama-3-70b", 8, 8192, 128);
  const AdviceCase advice(request, h100());
  const auto run = advice.run_with({8, 1, 1, 8});
  EXPECT_NEAR(advice.layer_activations(run), 2.813e8, 0.01e8);
  EXPECT_DOUBLE_EQ(advice.model_activations(run), 80.0 * advice.layer_activations(run));
}

TEST(AdviceCase, StatesAreEighteenBytesAParameter) {
  const SearchRequest request = advice_request("llama-3-8b", 1, 8192, 64);
  const AdviceCase advice(request, h100());
  const auto parameters = static_cast<double>(advice.most_parameters(advice.run_with({})));
  EXPECT_NEAR(parameters, 8.03e9, 0.01e9);
  EXPECT_DOUBLE_EQ(advice.states(advice.run_with({})), 18.0 * parameters);
  // 6 + 12 / 8 with the optimizer sharded.
  EXPECT_DOUBLE_EQ(advice.states(advice.run_with({1, 1, 1, 8})), 7.5 * parameters);
}

TEST(AdviceCase, CompletesWithTheFewestVirtualStagesThatKeepTheBubble) {
  // p = 4, m = 8: 3 / 8 needs three virtual stages; 32 layers allow 4 of 2 layers.
  const SearchRequest request = advice_request("llama-3-8b", 1, 2048, 16);
  AdviceCase advice(request, h100());
  const Completion done = advice.complete({1, 4, 1, 2}, MayRecompute::no);
  ASSERT_TRUE(done.valid);
  EXPECT_EQ(done.candidate.virtual_stages, 4);
  EXPECT_DOUBLE_EQ(done.bubble, 3.0 / 32.0);
  EXPECT_EQ(done.candidate.sharding, Sharding::optimizer);
  EXPECT_EQ(done.candidate.micro_batch, 1);
}

TEST(AdviceCase, RecomputesOnlyWhatItMust) {
  const SearchRequest request = advice_request("llama-3-8b", 1, 16384, 64);
  AdviceCase advice(request, h100());
  const Completion whole = advice.complete({1, 2, 1, 4}, MayRecompute::no);
  const Completion some = advice.complete({1, 2, 1, 4}, MayRecompute::yes);
  EXPECT_FALSE(whole.fits);
  ASSERT_TRUE(some.fits);
  EXPECT_EQ(some.candidate.recompute, RecomputeKind::full);
  EXPECT_EQ(some.unrecomputed, whole.memory);
  EXPECT_LE(some.memory, advice.capacity());
  EXPECT_GT(some.recomputed_share, 0.0);
  EXPECT_LT(some.recomputed_share, 1.0);
}

TEST(AdviceCase, SaysWhichRuleDegreesBreak) {
  const SearchRequest request = advice_request("llama-3-8b", 2, 8192, 24);
  AdviceCase advice(request, h100());
  const Completion wrong = advice.complete({1, 1, 1, 16}, MayRecompute::yes);
  EXPECT_FALSE(wrong.valid);
  EXPECT_THAT(wrong.problem, testing::HasSubstr("training.global_batch = 24"));
}

TEST(AdviceCase, StagesMeetOnTheirSlowestBoundary) {
  // TP 4: two stages a server, so that every second boundary leaves it.
  const SearchRequest request = advice_request("llama-3-70b", 8, 8192, 128);
  const AdviceCase advice(request, h100());
  EXPECT_GE(advice.boundary_rate(advice.run_with({4, 16, 1, 1})).tier, LinkTier::nic);
}

TEST(AdviceCase, ACeilingIsNamedAsTheProblem) {
  SearchRequest request = advice_request("llama-3-8b", 1, 8192, 64);
  request.limits.complexity = 1;
  AdviceCase advice(request, h100());
  EXPECT_EQ(advice.complete({2, 1, 1, 4}, MayRecompute::yes).problem,
            "complexity 2 is above the ceiling of 1");
}

TEST(AdviceCase, RatesAreOfTheLinksThatGroupsCross) {
  const SearchRequest request = advice_request("llama-3-70b", 8, 8192, 128);
  AdviceCase advice(request, h100());
  const GroupRate inside = advice.tensor_rate(8);
  EXPECT_EQ(inside.tier, LinkTier::nvlink);
  EXPECT_LT(inside.rate.value(), 450e9);  // the data sheet
  EXPECT_GE(advice.tensor_rate(16).tier, LinkTier::nic);
  // A layer runs below the peak, but not far below.
  EXPECT_LT(advice.layer_rate().value(), 989e12);
  EXPECT_GT(advice.layer_rate().value(), 0.4 * 989e12);
}

}  // namespace
}  // namespace stepcast

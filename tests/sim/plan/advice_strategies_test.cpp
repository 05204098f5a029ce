#include "sim/plan/advice_strategies.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/plan/advice.hpp"
#include "tests/sim/plan/advice_fixtures.hpp"

namespace stepcast {
namespace {

using test::advice_request;
using test::h100;
using testing::Contains;

DegreePoint point(std::int64_t degree, double speed, bool fits = true) {
  return {degree, 8, speed, fits, {}};
}

TEST(AdviceStrategies, TheKneeIsTheLastDegreeBeforeALossOfMoreThanFivePercent) {
  EXPECT_EQ(knee_of({point(1, 100.0), point(2, 96.0), point(4, 90.0)}), 2);
  EXPECT_EQ(knee_of({point(1, 100.0), point(2, 120.0), point(4, 113.0), point(8, 200.0)}), 2);
  EXPECT_EQ(knee_of({point(1, 100.0, false), point(2, 80.0), point(4, 79.0)}), 4);
  EXPECT_EQ(knee_of({point(1, 100.0, false)}), 0);
  EXPECT_EQ(knee_of({}), 0);
}

TEST(AdviceStrategies, NeighboursKeepTheNumberOfGpus) {
  const auto neighbours = neighbours_of({4, 2, 1, 8});
  EXPECT_EQ(neighbours.size(), 9u);  // 3 axes to halve, 3 others to double each
  for (const Degrees& one : neighbours)
    EXPECT_EQ(one.tensor * one.pipeline * one.context * one.data, 64);
  EXPECT_THAT(neighbours, Contains(Degrees{8, 1, 1, 8}));
}

TEST(AdviceStrategies, LookAlongEachAxisWithDataTakingTheRest) {
  const auto around = degrees_around({4, 2, 1, 8});
  EXPECT_THAT(around, Contains(Degrees{1, 2, 1, 32}));
  EXPECT_THAT(around, Contains(Degrees{4, 16, 1, 1}));
  EXPECT_THAT(around, Contains(Degrees{4, 2, 8, 1}));
}

TEST(AdviceStrategies, AnUnusedAxisIsShownAtTwo) {
  Outcomes outcomes;
  outcomes[{1, 2, 1, 4}].prediction = Prediction{};
  const Degrees chosen{1, 1, 1, 8};
  EXPECT_EQ(shown_degrees(outcomes, chosen, &Degrees::pipeline), (Degrees{1, 2, 1, 4}));
  EXPECT_EQ(shown_degrees(outcomes, chosen, &Degrees::tensor), std::nullopt);
  EXPECT_EQ(shown_degrees(outcomes, chosen, &Degrees::data), chosen);
}

const Advice& advice_of_70b() {
  static const Advice advice = advise(advice_request("llama-3-70b", 8, 8192, 128), h100());
  return advice;
}

TEST(AdviceStrategies, ComeInTheOrderDpPpTpCp) {
  std::vector<std::string> names;
  for (const Strategy& one : advice_of_70b().strategies) names.push_back(one.name);
  EXPECT_THAT(names, testing::ElementsAre("dp", "pp", "tp", "cp"));
}

TEST(AdviceStrategies, TrafficIsThatOfTheSemantics) {
  const Advice& advice = advice_of_70b();
  const auto& run = advice.recommended->run;
  const auto real = [](std::int64_t value) { return static_cast<double>(value); };
  // 2.2: with sequence parallelism 4 + 6 gathers or scatters a layer of X (t - 1) / t bytes,
  // X = 2 T h; the stages' embedding and head add little.
  const auto t = real(run.parallel.tensor);
  const double x = 2.0 * real(run.tokens_per_rank() * run.model.hidden);
  const double layers = real(run.model.layers / run.parallel.pipeline) * real(run.micro_batches());
  const double tensor = 10.0 * x * (t - 1.0) / t * layers;
  EXPECT_NEAR(advice.strategies[2].bytes_per_step, tensor, 0.1 * tensor);
  // 5.1: gradients in 4 bytes and parameters in 2, (R - 1) / R of both.
  const SearchRequest request = advice_request("llama-3-70b", 8, 8192, 128);
  const AdviceCase measured(request, h100());
  const double ranks = real(run.parallel.data * run.parallel.context);
  const double data = 6.0 * real(measured.most_parameters(run)) * (ranks - 1.0) / ranks;
  EXPECT_NEAR(advice.strategies[0].bytes_per_step, data, 0.02 * data);
}

TEST(AdviceStrategies, StagesSaveStatesAndSequencePartsSaveActivations) {
  const auto& all = advice_of_70b().strategies;
  EXPECT_GT(all[1].saved_states, 0.0);
  EXPECT_EQ(all[1].saved_activations, 0.0);
  EXPECT_NEAR(all[3].saved_states, 0.0, 1.0);
  EXPECT_GT(all[3].saved_activations, 0.0);
  EXPECT_GT(all[2].saved_states, 0.0);
  EXPECT_GT(all[2].saved_activations, 0.0);
}

TEST(AdviceStrategies, BlockingCommunicationHasNothingToHideBehind) {
  EXPECT_EQ(advice_of_70b().strategies[2].hide_bandwidth, std::nullopt);
  EXPECT_GT(advice_of_70b().strategies[3].hide_bandwidth.value_or(0.0), 0.0);
}

TEST(AdviceStrategies, CurvesMeetInTheRecommendation) {
  const Advice& advice = advice_of_70b();
  const double speed = advice.recommended->prediction.tokens_per_s_per_gpu;
  for (const Strategy& one : advice.strategies) {
    const bool met = std::ranges::any_of(one.curve, [&](const DegreePoint& at) {
      return at.gpus == advice.recommended->run.gpus() && at.tokens_per_s_per_gpu == speed;
    });
    EXPECT_TRUE(met) << one.name;
  }
}

}  // namespace
}  // namespace stepcast

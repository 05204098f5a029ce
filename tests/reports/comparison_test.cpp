#include "reports/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/reports/report_fixtures.hpp"

namespace stepcast {
namespace {

using namespace report_fixtures;
using testing::ElementsAre;

// The small prediction with `bubble` instead of 1 s on both stages.
Forecast with_bubble(const std::string& label, double bubble) {
  Prediction p = small_prediction();
  p.breakdown = {stage_breakdown(0, bubble), stage_breakdown(1, bubble)};
  p.step_p50 = Seconds{7.0 + bubble};
  p.tokens_per_s = 65536.0 / p.step_p50.value();
  p.tokens_per_s_per_gpu = p.tokens_per_s / 8.0;
  return forecast(label, p);
}

Forecast out_of_memory(const std::string& label, double bubble, double capacity_gib) {
  Forecast f = with_bubble(label, bubble);
  f.prediction.verdict = MemoryVerdict::out_of_memory;
  f.prediction.memory_capacity = gibibytes(capacity_gib);
  return f;
}

TEST(StepTimeTerms, SumToTheDifferenceOfStepTimes) {
  const Prediction a = with_bubble("a", 1.0).prediction;
  Prediction b = with_bubble("b", 0.25).prediction;
  for (StageBreakdown& stage : b.breakdown) {
    stage.gemm = Seconds{4.5};
    stage.total = Seconds{7.75};
  }
  EXPECT_THAT(step_time_terms(a, b),
              ElementsAre(DifferenceTerm{"bubble", -0.75}, DifferenceTerm{"GEMM", 0.5}));
}

TEST(StepTimeTerms, CompareCriticalStages) {
  Prediction a = with_bubble("a", 1.0).prediction;
  Prediction b = a;
  b.breakdown[1].gemm = Seconds{4.5};  // stage 1 becomes the busiest
  b.breakdown[1].bubble = Seconds{0.5};
  EXPECT_THAT(step_time_terms(a, b),
              ElementsAre(DifferenceTerm{"GEMM", 0.5}, DifferenceTerm{"bubble", -0.5}));
}

TEST(PeakMemoryTerms, SumToTheDifferenceOfPeaks) {
  const Prediction a = small_prediction();
  Prediction b = a;
  b.memory[0].activations = gibibytes(20);
  b.memory[0].peak_allocated = gibibytes(47);  // 1 GiB more than the parts say
  EXPECT_THAT(peak_memory_terms(a, b),
              ElementsAre(DifferenceTerm{"activations", gibibytes(-10).value()},
                          DifferenceTerm{"not attributed", gibibytes(1).value()}));
}

TEST(Compare, RanksByThroughputAndPutsOutOfMemoryLast) {
  const Comparison c = compare({out_of_memory("a", 0.25, 40), with_bubble("b", 1.0),
                                with_bubble("c", 0.5), out_of_memory("d", 0.25, 50)});
  EXPECT_THAT(c.ranking, ElementsAre(2U, 1U, 3U, 0U));  // d is 9 GiB over, a 19
  EXPECT_TRUE(c.any_fits);
}

TEST(Compare, BreaksTiesByFreeMemory) {
  Forecast roomy = with_bubble("roomy", 1.0);
  roomy.prediction.memory[0] = stage_memory(0, 5.0);
  EXPECT_THAT(compare({with_bubble("a", 1.0), roomy}).ranking, ElementsAre(1U, 0U));
}

TEST(Compare, ParetoKeepsWhatNobodyBeats) {
  Forecast small = with_bubble("half the GPUs", 1.0);
  small.prediction.gpus = 4;
  small.prediction.tokens_per_s /= 2.5;
  Forecast roomy = with_bubble("roomy", 2.0);
  roomy.prediction.memory = {stage_memory(0, 5.0)};
  const Comparison c = compare({with_bubble("fast", 0.5), with_bubble("beaten", 1.0), small, roomy,
                                out_of_memory("oom", 0.1, 40)});
  EXPECT_THAT(c.pareto, ElementsAre(0U, 2U, 3U));
}

TEST(PerTokenTerms, SumToTheDifferenceOfGpuSeconds) {
  const Prediction a = with_bubble("a", 1.0).prediction;  // 65536 tokens on 8 GPUs
  Prediction b = a;
  b.gpus = 16;
  b.tokens_per_s_per_gpu /= 2.0;
  // GPU-seconds per million tokens of one second: 8e6 / 65536 = 122.07, twice that on 16 GPUs; so
  // every term of `a` is paid once more.
  double sum = 0.0;
  for (const DifferenceTerm& term : per_token_terms(a, b)) sum += term.value;
  EXPECT_NEAR(sum, 8.0 * 8e6 / 65536.0, 1e-9);
}

TEST(HeadroomTerms, SumToTheDifferenceOfFreeMemory) {
  const Prediction a = small_prediction();  // 80 GiB
  Prediction b = a;
  b.memory_capacity = gibibytes(180);
  b.memory[0] = stage_memory(0, 20.0);  // 10 GiB less
  b.memory[0].overhead = gibibytes(4);  // 1 GiB more
  EXPECT_THAT(headroom_terms(a, b),
              ElementsAre(DifferenceTerm{"capacity", gibibytes(100).value()},
                          DifferenceTerm{"activations", gibibytes(10).value()},
                          DifferenceTerm{"overhead", gibibytes(-1).value()}));
}

TEST(Compare, ExplainsEachOneAgainstTheFirst) {
  const Comparison c = compare({with_bubble("a", 1.0), with_bubble("b", 0.5), with_bubble("c", 2)});
  std::map<std::string, int> rows;
  for (const Difference& d : c.differences) {
    ++rows[d.metric];
    EXPECT_EQ(d.values.size(), 3U);
    EXPECT_EQ(d.from, 0U);
    if (d.terms.empty()) continue;
    double sum = 0.0;
    for (const DifferenceTerm& term : d.terms) sum += term.value;
    EXPECT_DOUBLE_EQ(sum, d.values[d.to] - d.values[d.from]) << d.metric;
  }
  EXPECT_EQ(c.differences.front().metric, "step_time_s");
  for (const char* explained : {"step_time_s", "peak_allocated_bytes", "memory_headroom_bytes",
                                "gpu_seconds_per_million_tokens"})
    EXPECT_EQ(rows[explained], 2) << explained;
  for (const char* plain : {"tokens_per_s", "tokens_per_s_per_gpu", "mfu_causal", "mfu_full", "hfu",
                            "gpus", "gpu_hours_per_1e12_tokens", "memory_needed_bytes"})
    EXPECT_EQ(rows[plain], 1) << plain;
}

TEST(Compare, HoldsWhatChangedAndWhatOverlaps) {
  Forecast other = with_bubble("b", 1.0);
  other.inputs["parallel.tensor"] = "8";
  const Comparison c = compare({with_bubble("a", 1.0), other});
  ASSERT_EQ(c.inputs_changed.size(), 1U);
  EXPECT_EQ(c.inputs_changed[0].path, "parallel.tensor");
  EXPECT_THAT(c.overlapping, ElementsAre(testing::Pair(0U, 1U)));
  EXPECT_THAT(c.notes, ElementsAre("the forecast cannot tell [0] from [1]: their P10-P90 intervals "
                                   "overlap"));
}

TEST(Compare, SaysWhenNothingFits) {
  const Comparison c = compare({out_of_memory("a", 1.0, 40)});
  EXPECT_FALSE(c.any_fits);
  EXPECT_TRUE(c.pareto.empty());
}

}  // namespace
}  // namespace stepcast

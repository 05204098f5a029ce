#include "reports/comparison_metrics.hpp"

#include <gtest/gtest.h>

#include "tests/reports/report_fixtures.hpp"

namespace stepcast {
namespace {

using namespace report_fixtures;

double metric(std::string_view key, const Prediction& p) {
  for (const ComparisonMetric& candidate : comparison_metrics())
    if (candidate.key == key) return candidate.value(p);
  ADD_FAILURE() << "no metric " << key;
  return 0.0;
}

TEST(ComparisonMetrics, AreThePredictionsOwnFigures) {
  const Prediction p = small_prediction();
  EXPECT_EQ(metric("step_time_s", p), 8.0);
  EXPECT_EQ(metric("step_time_p10_s", p), 7.5);
  EXPECT_EQ(metric("step_time_p90_s", p), 8.75);
  EXPECT_EQ(metric("tokens_per_s", p), 8192.0);
  EXPECT_EQ(metric("model_tflops_per_gpu_causal", p), 400.0);
  EXPECT_EQ(metric("model_tflops_per_gpu_full", p), 425.0);
  EXPECT_EQ(metric("hfu", p), 0.455);
  EXPECT_EQ(metric("gpus", p), 8.0);
}

TEST(ComparisonMetrics, CountGpuHoursOfATrillionTokens) {
  // 1e12 tokens at 1024 tokens/s/GPU: 976562500 GPU-seconds, over 3600.
  EXPECT_DOUBLE_EQ(metric("gpu_hours_per_1e12_tokens", small_prediction()), 976562500.0 / 3600.0);
}

TEST(ComparisonMetrics, ReadMemoryOffTheFullestStage) {
  const Prediction p = small_prediction();  // stage 0: 26 + 30 allocated, 3 overhead, of 80 GiB
  EXPECT_EQ(metric("peak_allocated_bytes", p), gibibytes(56).value());
  EXPECT_EQ(metric("memory_needed_bytes", p), gibibytes(59).value());
  EXPECT_EQ(metric("memory_headroom_bytes", p), gibibytes(21).value());
}

TEST(SameWork, IsTokensOfAStepAndGpus) {
  const Prediction a = small_prediction();
  Prediction b = a;
  b.step_p50 = Seconds{4.0};  // twice as fast
  b.tokens_per_s *= 2.0;
  EXPECT_TRUE(same_work(a, b));
  b.gpus = 16;
  EXPECT_FALSE(same_work(a, b));
  b = a;
  b.tokens_per_s *= 2.0;  // twice the batch
  EXPECT_FALSE(same_work(a, b));
}

TEST(PerMillionTokens, IsGpuSecondsOfASecondOfTheStep) {
  // 8 GPUs, 65536 tokens a step.
  EXPECT_DOUBLE_EQ(per_million_tokens(small_prediction()), 8.0 * 1e6 / 65536.0);
}

TEST(IntervalsOverlap, ComparesStepsOfTheSameWork) {
  const Prediction a = small_prediction();  // 7.5 to 8.75 s
  const auto moved = [&](double factor) {
    Prediction b = a;
    b.step_p10 = a.step_p10 * factor;
    b.step_p50 = a.step_p50 * factor;
    b.step_p90 = a.step_p90 * factor;
    b.tokens_per_s_per_gpu = a.tokens_per_s_per_gpu / factor;
    return b;
  };
  EXPECT_TRUE(intervals_overlap(a, moved(1.125)));  // 8.4375 to 9.84 s
  EXPECT_FALSE(intervals_overlap(a, moved(1.25)));  // 9.375 s and more
  EXPECT_FALSE(intervals_overlap(moved(1.25), a));
}

TEST(IntervalsOverlap, ComparesRatesWhereTheWorkDiffers) {
  const Prediction a = small_prediction();
  Prediction twice = a;  // a batch twice as large in a step twice as long
  twice.step_p10 = a.step_p10 * 2.0;
  twice.step_p50 = a.step_p50 * 2.0;
  twice.step_p90 = a.step_p90 * 2.0;
  EXPECT_TRUE(intervals_overlap(a, twice));
}

TEST(VerdictWords, AreForPeopleAndKeysForDocuments) {
  EXPECT_EQ(verdict_words(MemoryVerdict::out_of_memory), "out of memory");
  EXPECT_EQ(verdict_key(MemoryVerdict::out_of_memory), "out_of_memory");
  EXPECT_EQ(verdict_key(MemoryVerdict::tight), "tight");
}

}  // namespace
}  // namespace stepcast

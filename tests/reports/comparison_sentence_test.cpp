#include "reports/comparison_sentence.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/comparison.hpp"
#include "tests/reports/report_fixtures.hpp"

namespace stepcast {
namespace {

using namespace report_fixtures;

Forecast with_bubble(const std::string& label, double bubble) {
  Prediction p = small_prediction();
  p.breakdown = {stage_breakdown(0, bubble)};
  p.step_p50 = Seconds{7.0 + bubble};
  p.step_p10 = p.step_p50 * 0.99;  // narrow intervals
  p.step_p90 = p.step_p50 * 1.01;
  p.tokens_per_s = 65536.0 / p.step_p50.value();
  p.tokens_per_s_per_gpu = p.tokens_per_s / 8.0;
  return forecast(label, p);
}

std::string sentence(const std::vector<Forecast>& forecasts) { return compare(forecasts).verdict; }

const char* const memory_words = "memory fits: 59.0 of 80.0 GiB, 21.0 GiB (26.2 %) free on stage 0";

TEST(ComparisonSentence, NamesTheBestAndWhatItSaves) {
  // 9 s against 8 s of step: 12.5 % more tokens; 1 s less bubble.
  EXPECT_EQ(sentence({with_bubble("slow.json", 2.0), with_bubble("fast.json", 1.0)}),
            std::string("fast.json is best: 12.5 % more tokens/s/GPU than slow.json, because its "
                        "busiest stage spends less time a step on bubble (1.00 s); ") +
                memory_words);
}

TEST(ComparisonSentence, SaysWhenTheForecastCannotTell) {
  Forecast fast = with_bubble("fast", 1.0);
  fast.prediction.step_p90 = Seconds{8.95};  // above slow's P10 of 8.91 s
  EXPECT_THAT(sentence({with_bubble("slow", 2.0), fast}),
              testing::StartsWith("fast is best, within the doubt of the forecast: 12.5 % more"));
}

TEST(ComparisonSentence, SaysWhatItPaysFor) {
  Forecast fast = with_bubble("fast", 1.0);
  fast.prediction.breakdown[0].exposed_tensor = Seconds{1.0};  // 0.5 more
  fast.prediction.breakdown[0].bubble = Seconds{0.5};
  EXPECT_EQ(sentence({with_bubble("slow", 2.0), fast}),
            std::string("fast is best: 12.5 % more tokens/s/GPU than slow, because its busiest "
                        "stage spends less time a step on bubble (1.50 s), but more on exposed "
                        "tensor (0.500 s); ") +
                memory_words);
}

TEST(ComparisonSentence, ComparesPerTokenWhenTheWorkDiffers) {
  Forecast half = with_bubble("half batch", 2.0);
  half.prediction.tokens_per_s /= 2.0;  // 32768 tokens in 9 s
  half.prediction.tokens_per_s_per_gpu /= 2.0;
  // One step takes 8 s for 65536 tokens against 9 s for 32768; in GPU-seconds (8 GPUs) per million
  // tokens GEMM is 488 against 977, bubble 122 against 488, attention 91.6 against 183.
  EXPECT_EQ(sentence({half, with_bubble("full batch", 1.0)}),
            std::string("full batch is best: 125 % more tokens/s/GPU than half batch, because it "
                        "spends fewer GPU-seconds per million tokens on GEMM (488), bubble (366) "
                        "and attention (91.6); ") +
                memory_words);
}

TEST(ComparisonSentence, NamesTheOnlyOneThatFits) {
  Forecast oom = with_bubble("oom", 0.5);
  oom.prediction.verdict = MemoryVerdict::out_of_memory;
  EXPECT_EQ(sentence({oom, with_bubble("fits", 1.0)}),
            std::string("fits is best: it is the only one that fits; ") + memory_words);
}

TEST(ComparisonSentence, NamesTheNearestWhenNoneFits) {
  Forecast oom = with_bubble("oom", 0.5);
  oom.prediction.verdict = MemoryVerdict::out_of_memory;
  oom.prediction.memory_capacity = gibibytes(50);
  EXPECT_EQ(sentence({oom}),
            "none fits in memory; the nearest is oom: out of memory: 59.0 of 50.0 GiB, 9.00 GiB "
            "(18.0 %) too much on stage 0");
}

TEST(ComparisonSentence, CallsATieATie) {
  EXPECT_EQ(sentence({with_bubble("a", 1.0), with_bubble("b", 1.0)}),
            std::string("a is best: as fast as b with no less free memory; ") + memory_words);
}

}  // namespace
}  // namespace stepcast

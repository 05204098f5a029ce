#include "reports/comparison_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/reports/report_fixtures.hpp"

namespace stepcast {
namespace {

using namespace report_fixtures;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

std::vector<Forecast> two() {
  Prediction faster = small_prediction();
  faster.breakdown = {stage_breakdown(0, 0.5)};
  faster.step_p50 = Seconds{7.5};
  faster.tokens_per_s_per_gpu = 1092.0;
  std::vector<Forecast> out{forecast("a.json", small_prediction()), forecast("b.json", faster)};
  out[1].inputs["parallel.tensor"] = "8";
  return out;
}

TEST(ComparisonText, ShowsOnlyInputsThatDiffer) {
  const std::string text = comparison_text(compare(two()), two());
  EXPECT_THAT(text, HasSubstr("inputs that differ  [0]  [1]\n"
                              "parallel.tensor       4    8\n\n"));
  EXPECT_THAT(text, Not(HasSubstr("training.precision")));
}

TEST(ComparisonText, PutsFiguresSideBySide) {
  const std::string text = comparison_text(compare(two()), two());
  EXPECT_THAT(text, HasSubstr("step time (s)             8.00       7.50\n"));
  EXPECT_THAT(text, HasSubstr("tokens/s/GPU              1020       1090\n"));
  EXPECT_THAT(text, HasSubstr("rank                         2          1\n"));
}

TEST(ComparisonText, ShowsTermsOfCriticalStages) {
  const std::string text = comparison_text(compare(two()), two());
  EXPECT_THAT(text, HasSubstr("step time of the critical stage (s)    [0]    [1]\n"
                              "stage                                    0      0\n"
                              "GEMM                                  4.00   4.00\n"));
  EXPECT_THAT(text, HasSubstr("bubble                                1.00  0.500\n"));
}

TEST(ComparisonText, EndsWithTheVerdict) {
  const Comparison comparison = compare(two());
  EXPECT_THAT(comparison_text(comparison, two()), EndsWith("\n" + comparison.verdict + "\n"));
}

TEST(ComparisonText, MarksWhatDoesNotFit) {
  auto forecasts = two();
  forecasts[1].prediction.verdict = MemoryVerdict::out_of_memory;
  EXPECT_THAT(comparison_text(compare(forecasts), forecasts),
              HasSubstr("rank                         1  does not fit\n"));
}

}  // namespace
}  // namespace stepcast

#include "reports/comparison_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/reports/report_fixtures.hpp"

namespace stepcast {
namespace {

using namespace report_fixtures;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

std::vector<Forecast> two() {
  Prediction faster = small_prediction();
  faster.breakdown = {stage_breakdown(0, 0.5)};
  faster.step_p50 = Seconds{7.5};
  faster.tokens_per_s_per_gpu = 1092.0;
  std::vector<Forecast> out{forecast("a.json", small_prediction()), forecast("b.json", faster)};
  out[1].inputs["parallel.tensor"] = "8";
  return out;
}

TEST(ComparisonText, NamesWhatIsCompared) {
  EXPECT_THAT(comparison_text(compare(two()), two()),
              StartsWith("[0] a.json: llama-3-8b on 8 GPUs of dgx-h100:1, megatron\n  TP 4, PP 2"));
}

TEST(ComparisonText, AlignsItsTables) {
  EXPECT_THAT(comparison_text(compare(two()), two()),
              HasSubstr("inputs that differ  [0]  [1]\n"
                        "parallel.tensor       4    8\n\n"));
}

TEST(ComparisonText, EndsWithTheVerdictAndTheNotes) {
  const Comparison comparison = compare(two());
  ASSERT_EQ(comparison.notes.size(), 1U);
  EXPECT_THAT(comparison_text(comparison, two()),
              EndsWith("\n" + comparison.verdict + "\n" + comparison.notes[0] + "\n"));
}

TEST(ComparisonMarkdown, BeginsWithTheVerdictAndHoldsTables) {
  const std::string text = comparison_markdown(compare(two()), two());
  EXPECT_THAT(text, StartsWith("**b.json is best"));
  EXPECT_THAT(text, HasSubstr("\n- the forecast cannot tell \\[0\\] from \\[1\\]"));
  EXPECT_THAT(text, HasSubstr("\n| inputs that differ | \\[0\\] | \\[1\\] |\n"
                              "| --- | ---: | ---: |\n"
                              "| parallel.tensor | 4 | 8 |\n"));
}

TEST(ComparisonMarkdown, MakesHostileNamesHarmless) {
  auto forecasts = two();
  forecasts[0].label = "</script>|`\n# x";
  EXPECT_THAT(comparison_markdown(compare(forecasts), forecasts),
              HasSubstr("\n- \\[0\\] \\</script\\>\\|\\` \\# x: llama-3-8b"));
}

}  // namespace
}  // namespace stepcast

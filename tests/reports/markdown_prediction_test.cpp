#include "reports/markdown_prediction.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/reports/report_fixtures.hpp"

namespace stepcast {
namespace {

using namespace report_fixtures;
using testing::HasSubstr;
using testing::Not;

TEST(MarkdownPrediction, HasFiguresTimeAndMemoryAsTables) {
  const std::string text = prediction_markdown(forecast("run.json", small_prediction()));
  EXPECT_THAT(text, HasSubstr("| step time (s) | 8.00 |\n"));
  // Stage 0 waits least: 4 of 8 s are GEMM.
  EXPECT_THAT(text, HasSubstr("| time of stage 0 | s | % |\n| --- | ---: | ---: |\n"
                              "| GEMM | 4.00 | 50.0 |\n"));
  EXPECT_THAT(text, HasSubstr("| memory of stage 0 | GiB |\n| --- | ---: |\n"
                              "| parameters | 4.00 |\n"));
  EXPECT_THAT(text, HasSubstr("- warning (few\\_micro\\_batches): 8 micro-batches for 2 stages"));
}

TEST(MarkdownPrediction, MakesHostileNamesHarmless) {
  Forecast hostile = forecast("run.json", small_prediction());
  hostile.inputs["model"] = "</script>\n|`@x";
  const std::string text = prediction_markdown(hostile);
  EXPECT_THAT(text, HasSubstr("**\\</script\\> \\|\\`@\u200bx on 8 GPUs"));
  EXPECT_THAT(text, Not(HasSubstr("\n|`")));
}

}  // namespace
}  // namespace stepcast

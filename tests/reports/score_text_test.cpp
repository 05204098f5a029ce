#include "reports/score_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stepcast {
namespace {

using testing::HasSubstr;

ScoredRow row(const std::string& id, double observed, double predicted) {
  ScoredRow out;
  out.id = id;
  out.source = "vTrain";
  out.metric = "step_time_s";
  out.observed = observed;
  out.predicted = predicted;
  return out;
}

std::string sample() {
  std::vector<ScoredRow> rows{row("a", 10, 11), row("b", 10, 8), row("c", 5, 0), row("d", 5, 0)};
  rows[2].skipped = rows[3].skipped = "not simulated yet";
  return score_text(summarize(rows));
}

TEST(ScoreText, ShowsTheErrorTableBySource) {
  EXPECT_THAT(sample(),
              HasSubstr("source  metric       rows  scored  mean |error| (%)  median (%)  p90 (%)  "
                        "bias (%)  worst (%)  in p10-p90 (%)  tau\n"
                        "vTrain  step_time_s     4       2              15.0        15.0     19.0  "
                        "   -5.00      -20.0               -    -\n"));
  EXPECT_THAT(sample(), HasSubstr("mean over sources, step_time_s: 15.0 %\n"));
}

TEST(ScoreText, ShowsWorstRowsFirst) {
  EXPECT_THAT(sample(),
              HasSubstr("worst rows  source  metric       observed  predicted  error (%)\n"
                        "b           vTrain  step_time_s      10.0       8.00      -20.0\n"
                        "a           vTrain  step_time_s      10.0       11.0      +10.0\n"));
}

TEST(ScoreText, CountsSkippedRowsByReason) {
  EXPECT_THAT(sample(), HasSubstr("skipped  source  first  reason\n"
                                  "      2  vTrain  c      not simulated yet\n"));
}

TEST(ScoreText, SaysHowManyRowsAreInTheProfile) {
  std::vector<ScoredRow> rows{row("a", 10, 10), row("b", 10, 8)};
  rows[0].basis = "measured";
  rows[1].basis = "interpolated";
  EXPECT_THAT(score_text(summarize(rows)),
              HasSubstr("1 of 2 scored rows are points of the profile itself: their errors say "
                        "nothing about others\n"));
}

TEST(ScoreText, SaysWhenThereIsNothing) { EXPECT_EQ(score_text(Score{}), "no rows\n"); }

}  // namespace
}  // namespace stepcast

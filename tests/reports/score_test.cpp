#include "reports/score.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

ScoredRow row(const std::string& id, double observed, double predicted,
              const std::string& source = "s") {
  ScoredRow out;
  out.id = id;
  out.source = source;
  out.metric = "step_time_s";
  out.observed = observed;
  out.predicted = predicted;
  return out;
}

ScoredRow skipped(const std::string& id, const std::string& reason) {
  ScoredRow out = row(id, 1.0, 0.0);
  out.skipped = reason;
  return out;
}

TEST(ScoredRow, ErrorIsRelativeToTheObserved) {
  EXPECT_NEAR(row("a", 10.0, 11.0).error(), 0.1, 1e-15);
  EXPECT_NEAR(row("a", 10.0, 8.0).error(), -0.2, 1e-15);
}

TEST(ScoredRow, FitsHasADifferenceAsError) {
  ScoredRow r = row("a", 0.0, 1.0);
  r.metric = "fits";
  EXPECT_DOUBLE_EQ(r.error(), 1.0);  // said to fit, ran out of memory
}

TEST(Quantile, InterpolatesBetweenOrderStatistics) {
  EXPECT_DOUBLE_EQ(quantile({3.0, 1.0, 2.0}, 0.5), 2.0);
  EXPECT_DOUBLE_EQ(quantile({0.0, 1.0}, 0.9), 0.9);
  EXPECT_DOUBLE_EQ(quantile({5.0}, 0.9), 5.0);
}

TEST(Summarize, AveragesErrorsOfScoredRows) {
  // Errors +10 %, -20 %, +3 %.
  const Score score = summarize(
      {row("a", 10, 11), row("b", 10, 8), row("c", 100, 103), skipped("d", "not simulated")});
  ASSERT_EQ(score.summary.size(), 1U);
  const ScoreSummary& s = score.summary[0];
  EXPECT_EQ(s.rows, 4U);
  EXPECT_EQ(s.scored, 3U);
  EXPECT_NEAR(s.mape, 0.11, 1e-12);
  EXPECT_NEAR(s.median, 0.10, 1e-12);
  EXPECT_NEAR(s.bias, -0.07 / 3.0, 1e-12);
  EXPECT_EQ(s.worst_id, "b");
  EXPECT_NEAR(s.worst_error, -0.2, 1e-12);
}

TEST(Summarize, KeepsSourcesAndMetricsApart) {
  ScoredRow memory = row("a", 1.0, 1.0);
  memory.metric = "peak_allocated_bytes";
  const Score score = summarize({row("a", 10, 11, "x"), memory, row("b", 10, 13, "y")});
  ASSERT_EQ(score.summary.size(), 3U);
  EXPECT_EQ(score.summary[0].source, "x");
  EXPECT_EQ(score.summary[1].metric, "peak_allocated_bytes");
  EXPECT_EQ(score.summary[2].source, "y");
  EXPECT_NEAR(score.macro_mape.at("step_time_s"), 0.2, 1e-12);  // (10 % + 30 %) / 2
}

TEST(Summarize, CoverageIsTheShareInsideTheInterval) {
  std::vector<ScoredRow> rows{row("a", 10, 10), row("b", 20, 10), row("c", 10, 10)};
  rows[0].p10 = rows[1].p10 = 9.0;
  rows[0].p90 = rows[1].p90 = 11.0;
  const Score score = summarize(rows);  // c has no interval
  EXPECT_DOUBLE_EQ(*score.summary[0].coverage, 0.5);
}

TEST(Summarize, NoIntervalMeansNoCoverage) {
  EXPECT_FALSE(summarize({row("a", 1, 1)}).summary[0].coverage);
}

TEST(Summarize, RanksWithinGroupsThatHaveThreeRows) {
  std::vector<ScoredRow> rows{row("a", 1, 100), row("b", 2, 101), row("c", 3, 102), row("d", 9, 1)};
  for (ScoredRow& r : rows) r.group = "m on 8 GPUs";
  rows[3].group = "m on 16 GPUs";
  EXPECT_DOUBLE_EQ(*summarize(rows).summary[0].kendall_tau, 1.0);
  for (ScoredRow& r : rows) r.group = "";
  // Over all rows, d is discordant with each of the others: (3 - 3) / 6.
  EXPECT_DOUBLE_EQ(*summarize(rows).summary[0].kendall_tau, 0.0);
}

TEST(Summarize, ListsGroupsOfFiveOrMore) {
  std::vector<ScoredRow> rows;
  for (int i = 1; i <= 5; ++i) rows.push_back(row("r", i, 1.1 * i));
  for (ScoredRow& r : rows) r.group = "gpt3-175b on 512 GPUs";
  const Score score = summarize(rows);
  ASSERT_EQ(score.groups.size(), 1U);
  EXPECT_EQ(score.groups[0].rows, 5U);
  EXPECT_NEAR(score.groups[0].mape, 0.1, 1e-12);
  EXPECT_NEAR(score.groups[0].bias, 0.1, 1e-12);
  EXPECT_DOUBLE_EQ(*score.groups[0].kendall_tau, 1.0);
}

TEST(Summarize, ASourceOfSkippedRowsHasNoErrors) {
  const Score score = summarize({skipped("a", "why")});
  EXPECT_EQ(score.summary[0].scored, 0U);
  EXPECT_TRUE(score.macro_mape.empty());
}

}  // namespace
}  // namespace stepcast

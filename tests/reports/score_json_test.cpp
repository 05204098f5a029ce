#include "reports/score_json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace stepcast {
namespace {

Score two_rows() {
  ScoredRow scored;
  scored.id = "a";
  scored.source = "s";
  scored.metric = "step_time_s";
  scored.observed = 10.0;
  scored.predicted = 11.0;
  scored.p10 = 9.5;
  scored.p90 = 12.5;
  ScoredRow skipped = scored;
  skipped.id = "b";
  skipped.p10 = skipped.p90 = std::nullopt;
  skipped.skipped = "not simulated";
  return summarize({scored, skipped});
}

TEST(ScoreJson, WritesRowsAsTheContractNamesThem) {
  const auto document = to_json(two_rows());
  EXPECT_EQ(document["format"], "stepcast.score");
  EXPECT_EQ(document["version"], 1);
  const auto& row = document["rows"][0];
  EXPECT_EQ(row["id"], "a");
  EXPECT_EQ(row["metric"], "step_time_s");
  EXPECT_EQ(row["observed"], 10.0);
  EXPECT_EQ(row["predicted"], 11.0);
  EXPECT_EQ(row["p10"], 9.5);
  EXPECT_EQ(row["p90"], 12.5);
  EXPECT_NEAR(row["relative_error"].get<double>(), 0.1, 1e-12);
  EXPECT_TRUE(row["skipped"].is_null());
  EXPECT_TRUE(row["basis"].is_null());  // of kernels only
}

TEST(ScoreJson, SkippedRowsHaveAReasonAndNoNumbers) {
  const auto document = to_json(two_rows());
  const auto& row = document["rows"][1];
  EXPECT_EQ(row["skipped"], "not simulated");
  EXPECT_TRUE(row["predicted"].is_null());
  EXPECT_TRUE(row["relative_error"].is_null());
  EXPECT_TRUE(row["p10"].is_null());
}

TEST(ScoreJson, SummaryHoldsEveryNamedColumn) {
  const auto document = to_json(two_rows());
  const auto& summary = document["summary"][0];
  for (const char* key : {"source", "metric", "rows", "scored", "mape", "bias", "worst_id",
                          "worst_error", "coverage_p10_p90", "kendall_tau"})
    EXPECT_TRUE(summary.contains(key)) << key;
  EXPECT_EQ(summary["rows"], 2);
  EXPECT_EQ(summary["scored"], 1);
  EXPECT_EQ(summary["coverage_p10_p90"], 1.0);
  EXPECT_TRUE(summary["kendall_tau"].is_null());
}

TEST(ScoreJson, ASourceWithoutScoresHasNulls) {
  ScoredRow row;
  row.id = "a";
  row.metric = "time_s";
  row.skipped = "why";
  const auto document = to_json(summarize({row}));
  EXPECT_TRUE(document["summary"][0]["mape"].is_null());
  EXPECT_TRUE(document["summary"][0]["worst_id"].is_null());
}

}  // namespace
}  // namespace stepcast

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/errors.hpp"
#include "common/files.hpp"
#include "reports/score_readers.hpp"

namespace stepcast {
namespace {

// The fields of a report that the reader looks at.
nlohmann::json report(const std::string& id, nlohmann::json config) {
  return {{"id", id},
          {"date", "2026-03-04"},
          {"kind", "throughput"},
          {"config", std::move(config)},
          {"observed", ""},
          {"testable_as", ""}};
}

std::vector<ScoredRow> score(const nlohmann::json& reports) {
  ProfileLibrary profiles;
  return run_score_jobs(read_score_jobs({"reports.json", reports.dump(), ""}, profiles), [] {});
}

std::vector<ScoredRow> score_overlap(nlohmann::json changes = nlohmann::json::object()) {
  nlohmann::json config{{"model", "8B"}, {"tp", 8}, {"framework", "Megatron-LM"}};
  config.update(changes);
  return score(nlohmann::json::array({report("thr-mcore-3524", config)}));
}

TEST(FieldReports, ARankingGivesWhetherAndHowMuchFaster) {
  const auto rows = score_overlap();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].id, "thr-mcore-3524/8B/param gather overlapped > not");
  EXPECT_EQ(rows[0].source, "field reports");
  EXPECT_EQ(rows[0].metric, "faster");
  EXPECT_EQ(rows[0].observed, 1.0);
  EXPECT_EQ(rows[0].predicted, 1.0);
  EXPECT_EQ(rows[1].id, rows[0].id);
  EXPECT_EQ(rows[1].metric, "speed_ratio");
  EXPECT_EQ(rows[1].observed, 1.09);  // "8 to 10 %"
  EXPECT_GT(rows[1].predicted, 1.0);
}

TEST(FieldReports, TakeGpusOfTheReportOrElseServersForTwoReplicas) {
  // TP 8: 16 GPUs, so gathers cross servers; on 8 GPUs there is nothing to gather.
  EXPECT_GT(score_overlap()[1].predicted, 1.005);
  EXPECT_NEAR(score_overlap({{"gpus", 8}})[1].predicted, 1.0, 1e-3);
}

TEST(FieldReports, SkipWhatNoProfileCovers) {
  const auto rows = score_overlap({{"gpu", "MI300X"}});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].skipped, "no profile for GPU MI300X");
}

TEST(FieldReports, SkipCountsThatNoMachineHas) {
  EXPECT_EQ(score_overlap({{"tp", 0}})[0].skipped, "tp = 0 is out of range");
  EXPECT_EQ(score_overlap({{"gpus", 4}})[0].skipped, "dp = 0 is out of range");
}

TEST(FieldReports, SkipWhatIsNoRankingOrOutOfScope) {
  const auto rows = score(nlohmann::json::array(
      {report("oom-megatron-525", {{"tp", 1}}), report("thr-pai-658a", {{"tp", 1}})}));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].metric, "faster");
  EXPECT_EQ(rows[0].skipped, "not a ranking");
  EXPECT_EQ(rows[1].skipped, "mixture-of-experts models are not simulated yet");
}

TEST(FieldReports, NearlyEqualSpeedsAreADraw) {
  const auto rows = score(nlohmann::json::array(
      {report("card-llama70b-fragment", {{"gpu", "MI300X"}, {"tp", 4}, {"pp", 4}, {"gpus", 32}})}));
  // 704 and 702 TFLOP/s differ by 0.3 %.
  ASSERT_EQ(rows.size(), 9U);  // six pairs of recompute, three of layout
  EXPECT_EQ(rows[0].id, "card-llama70b-fragment/recompute/core_attn > core_attn+layernorm");
  EXPECT_EQ(rows[0].skipped, "a draw: within 1 %");
}

TEST(FieldReports, RefuseRowsWithoutIdOrConfig) {
  try {
    static_cast<void>(score(nlohmann::json::array({{{"testable_as", ""}}})));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(to_string(error.problems().front()),
              "reports.json: [0]: must be an object with an \"id\" and a \"config\" (a field "
              "report)");
  }
}

TEST(FieldReports, SayWhichWasFasterInAtLeast85Percent) {
  const std::string path = STEPCAST_SOURCE_DIR "/../shared/data/field_reports.json";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no field reports beside the source";
  const auto rows = score(nlohmann::json::parse(read_file(path)));
  const Score result = summarize(rows);
  const auto faster = std::find_if(result.summary.begin(), result.summary.end(),
                                   [](const ScoreSummary& s) { return s.metric == "faster"; });
  EXPECT_GE(faster->scored, 10U);
  EXPECT_LE(faster->mape, 0.15);  // the share that is wrong
}

}  // namespace
}  // namespace stepcast

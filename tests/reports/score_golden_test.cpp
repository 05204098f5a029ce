#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/errors.hpp"
#include "common/files.hpp"
#include "reports/score_readers.hpp"

namespace stepcast {
namespace {

// A dense case in the form of the published file, with its measured values (NVIDIA/Megatron-LM
// d98e8a6, tests/functional_tests/test_cases/gpt).
nlohmann::json sample_row() {
  return nlohmann::json::parse(R"({
    "case": "gpt3_mcore_te_tp1_pp4_vp1_resume_torch_decoupled_lr", "family": "gpt",
    "platform": "dgx_h100", "env": "dev", "world_size": 8,
    "args": {"num-layers": 12, "hidden-size": 512, "num-attention-heads": 8,
             "micro-batch-size": 4, "global-batch-size": 32, "seq-length": 1024,
             "pipeline-model-parallel-size": 4, "num-layers-per-virtual-pipeline-stage": 1,
             "deterministic-mode": true, "no-gradient-accumulation-fusion": true, "bf16": true},
    "mem_allocated_bytes_last": 759682560.0, "mem_max_allocated_bytes_last": 2639761408.0,
    "iteration_time_s_median": 0.2})");
}

std::vector<ScoredRow> score(const nlohmann::json& document) {
  ProfileLibrary profiles;
  return run_score_jobs(read_score_jobs({"golden.json", document.dump(), ""}, profiles), [] {});
}

TEST(GoldenRows, ForecastTheMemoryOfTheLastRank) {
  const auto rows = score({{"rows", {sample_row()}}});
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].id, "gpt3_mcore_te_tp1_pp4_vp1_resume_torch_decoupled_lr@dgx_h100");
  EXPECT_EQ(rows[0].metric, "static_allocated_bytes");
  EXPECT_LT(std::fabs(rows[0].error()), 0.01);  // the design's bars
  EXPECT_EQ(rows[1].metric, "peak_allocated_bytes");
  EXPECT_LT(std::fabs(rows[1].error()), 0.015);
  EXPECT_EQ(rows[2].metric, "step_time_s");
  EXPECT_FALSE(rows[2].scored());
}

TEST(GoldenRows, SkipWithAReason) {
  nlohmann::json row = sample_row();
  row["family"] = "bert";
  EXPECT_EQ(score({{"rows", {row}}})[0].skipped, "family bert: only dense GPT cases are forecast");
  row = sample_row();
  row["args"]["num-experts"] = 8;
  EXPECT_EQ(score({{"rows", {row}}})[0].skipped, "mixture of experts");
  row = sample_row();
  row["platform"] = "dgx_x";
  EXPECT_EQ(score({{"rows", {row}}})[0].skipped, "no profile for dgx_x");
}

TEST(GoldenRows, RefuseRowsOfAnotherShape) {
  nlohmann::json broken = sample_row();
  broken.erase("env");
  ProfileLibrary profiles;
  const nlohmann::json document{{"rows", {sample_row(), broken}}};
  try {
    static_cast<void>(read_score_jobs({"golden.json", document.dump(), ""}, profiles));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(to_string(error.problems().at(0)),
              "golden.json: rows[1]: must hold case, family, platform and env (text), args (an "
              "object), world_size and the measured values");
  }
}

TEST(GoldenRows, PublishedFileIsMetWithinTheDesignsBars) {
  const auto path = std::filesystem::path(STEPCAST_SOURCE_DIR) /
                    "../shared/data/field_files/megatron_golden/megatron_golden_train.json";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "../shared/data is not here";
  ProfileLibrary profiles;
  const auto rows =
      run_score_jobs(read_score_jobs({"golden.json", read_file(path), ""}, profiles), [] {});
  for (const ScoreSummary& summary : summarize(rows).summary) {
    if (summary.metric == "step_time_s") continue;
    EXPECT_GE(summary.scored, 150U) << summary.metric;
    EXPECT_LE(summary.median, summary.metric == "static_allocated_bytes" ? 0.01 : 0.015);
  }
}

}  // namespace
}  // namespace stepcast

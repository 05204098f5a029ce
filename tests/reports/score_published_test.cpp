#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "reports/score_readers.hpp"

namespace stepcast {
namespace {

// Korthikanti et al. 2022 (arXiv 2205.05198), Table 5: 22B, full recompute, 8 A100, 1.42 s.
nlohmann::json sample_row() {
  return nlohmann::json::parse(R"({
    "id": "sample", "source": "Korthikanti et al. 2022 (arXiv 2205.05198) Table 5, values",
    "framework": "Megatron-LM", "date": "2022-05", "gpu": "A100-80GB-SXM", "gpus": 8,
    "gpus_per_node": 8, "interconnect": "NVLink", "model": "megatron-22b",
    "arch": {"layers": 48, "hidden": 6144, "heads": 64, "kv_heads": 64, "head_dim": 96,
             "ffn": 24576, "gated_mlp": false, "vocab": 51200, "tied_embeddings": true},
    "seq_len": 2048, "global_batch": 4, "micro_batch": 4, "tp": 8, "pp": 1, "cp": 1, "dp": 1,
    "vp": 1, "sequence_parallel": false, "zero": "none", "recompute": "full",
    "precision": "fp16", "attention": "unfused", "overlap": null,
    "observed": {"step_time_s": 1.42, "peak_memory_gib": null}, "derived": {},
    "completeness": "full", "missing": [], "inferred": [], "notes": "", "memory_basis": null})");
}

std::vector<ScoredRow> score(const nlohmann::json& row) {
  ProfileLibrary profiles;
  const nlohmann::json document = nlohmann::json::array({row});
  return run_score_jobs(read_score_jobs({"rows.json", document.dump(), ""}, profiles), [] {});
}

TEST(PublishedRows, ForecastStepTimeAndThatItRan) {
  const auto rows = score(sample_row());
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].id, "sample");
  EXPECT_EQ(rows[0].source, "Korthikanti 2022 Table 5");
  EXPECT_EQ(rows[0].metric, "step_time_s");
  EXPECT_EQ(rows[0].group, "megatron-22b on 8 GPUs");
  EXPECT_EQ(rows[0].observed, 1.42);
  EXPECT_EQ(rows[0].skipped, "");
  EXPECT_LT(std::fabs(rows[0].error()), 0.15);
  EXPECT_LT(*rows[0].p10, rows[0].predicted);
  EXPECT_EQ(rows[1].metric, "fits");
  EXPECT_EQ(rows[1].observed, 1.0);
  EXPECT_EQ(rows[1].predicted, 1.0);
}

TEST(PublishedRows, TakeTheDerivedTimeWhenNoneWasObserved) {
  auto row = sample_row();
  row["observed"]["step_time_s"] = nullptr;
  row["derived"]["step_time_s"] = 1.5;
  EXPECT_EQ(score(row)[0].observed, 1.5);
}

TEST(PublishedRows, CompareMemoryWithWhatWasMeasured) {
  auto row = sample_row();
  row["observed"]["peak_memory_gib"] = 40.0;
  row["memory_basis"] = "torch max_memory_allocated, worst rank";
  const ScoredRow allocated = score(row)[1];
  EXPECT_EQ(allocated.metric, "peak_allocated_bytes");
  EXPECT_EQ(allocated.observed, 40.0 * 1073741824.0);
  row["memory_basis"] = "torch max_memory_reserved, worst rank";
  const ScoredRow reserved = score(row)[1];
  EXPECT_EQ(reserved.metric, "peak_reserved_bytes");
  EXPECT_GT(reserved.predicted, allocated.predicted);
  row["memory_basis"] = "nvidia-smi, worst node";
  const ScoredRow device = score(row)[1];
  EXPECT_EQ(device.metric, "device_bytes");
  EXPECT_GT(device.predicted, reserved.predicted);
}

TEST(PublishedRows, AFormulaIsNoMeasurement) {
  auto row = sample_row();
  row["observed"] = {{"peak_memory_gib", 40.0}};
  row["memory_basis"] = "analytic formulas of the paper";
  const auto rows = score(row);
  ASSERT_EQ(rows.size(), 1U);  // nor does it tell that the run fitted
  EXPECT_EQ(rows[0].skipped,
            "the observed memory is no measurement: analytic formulas of the paper");
}

TEST(PublishedRows, AnOutOfMemoryOutcomeIsAFitsRow) {
  auto row = sample_row();
  row["observed"] = {{"oom", true}};
  const auto rows = score(row);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].metric, "fits");
  EXPECT_EQ(rows[0].observed, 0.0);
}

TEST(PublishedRows, SkipWithTheMapsReason) {
  auto row = sample_row();
  row["gpu"] = "MI300X";
  const auto rows = score(row);
  ASSERT_EQ(rows.size(), 1U);  // that it ran says nothing without a forecast
  EXPECT_EQ(rows[0].skipped, "no profile for GPU MI300X");
}

TEST(PublishedRows, SayWhenTheyReportNothing) {
  auto row = sample_row();
  row["observed"] = nlohmann::json::object();
  EXPECT_EQ(score(row)[0].skipped, "the row reports no step time, memory or outcome");
}

}  // namespace
}  // namespace stepcast

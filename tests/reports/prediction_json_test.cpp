#include "reports/prediction_json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/reports/report_fixtures.hpp"

namespace stepcast {
namespace {

using namespace report_fixtures;

nlohmann::json document() { return to_json(small_prediction(), small_run()); }

TEST(PredictionJson, StatesTimeThroughputAndUtilisation) {
  const auto doc = document();
  EXPECT_EQ(doc["format"], "stepcast.prediction");
  EXPECT_EQ(doc["version"], 1);
  EXPECT_EQ(doc["step_time_s"], (nlohmann::json{{"p10", 7.5}, {"p50", 8.0}, {"p90", 8.75}}));
  EXPECT_EQ(doc["tokens_per_s"], 8192.0);
  EXPECT_EQ(doc["tokens_per_s_per_gpu"], 1024.0);
  EXPECT_EQ(doc["model_tflops_per_gpu"], (nlohmann::json{{"causal", 400.0}, {"full", 425.0}}));
  EXPECT_EQ(doc["hardware_tflops_per_gpu"], 450.0);
  EXPECT_EQ(doc["mfu"], (nlohmann::json{{"causal", 0.404}, {"full", 0.43}}));
  EXPECT_EQ(doc["hfu"], 0.455);
  EXPECT_EQ(doc["gpus"], 8);
  EXPECT_EQ(doc["micro_batches"], 8);
}

TEST(PredictionJson, BreakdownPartsSumToTheStepTime) {
  const auto doc = document();
  for (const auto& stage : doc["breakdown"]) {
    double sum = stage["bubble_s"].get<double>() + stage["recompute_s"].get<double>() +
                 stage["optimizer_s"].get<double>() + stage["host_s"].get<double>();
    for (const auto& part : stage["compute_s"]) sum += part.get<double>();
    for (const auto& part : stage["exposed_communication_s"]) sum += part.get<double>();
    EXPECT_DOUBLE_EQ(sum, stage["total_s"].get<double>());
    EXPECT_DOUBLE_EQ(sum, 8.0);
  }
}

TEST(PredictionJson, MemoryIsInWholeBytes) {
  const auto memory = document()["memory"];
  EXPECT_EQ(memory["verdict"], "fits");
  EXPECT_EQ(memory["capacity_bytes"].dump(), "85899345920");  // 80 GiB
  EXPECT_EQ(memory["worst_stage"], 0);
  const auto& stage = memory["stages"][0];
  EXPECT_EQ(stage["peak_allocated_bytes"].dump(), "60129542144");    // 56 GiB
  EXPECT_EQ(stage["static_allocated_bytes"].dump(), "25769803776");  // 24 GiB
  EXPECT_EQ(stage["alive_at_peak"][0]["name"], "optimizer state");
}

TEST(PredictionJson, SpellsEveryVerdictAsTheContractDoes) {
  Prediction p = small_prediction();
  p.verdict = MemoryVerdict::out_of_memory;
  EXPECT_EQ(to_json(p, small_run())["memory"]["verdict"], "out_of_memory");
  p.verdict = MemoryVerdict::tight;
  EXPECT_EQ(to_json(p, small_run())["memory"]["verdict"], "tight");
}

TEST(PredictionJson, CarriesResolvedInputsAndProvenance) {
  const auto doc = document();
  EXPECT_EQ(doc["inputs"]["parallel"]["data"], 1);
  EXPECT_EQ(doc["inputs"], to_json(small_run()));
  EXPECT_EQ(doc["provenance"]["profile"], "h100-sxm");
  EXPECT_EQ(doc["provenance"]["sources"][0], "tables of somebody");
}

TEST(PredictionJson, CommunicationAndLinksKeepTheirUnits) {
  const auto doc = document();
  EXPECT_EQ(doc["communication"][0]["busbw_bytes_per_s"], 350e9);
  EXPECT_EQ(doc["communication"][0]["bytes_per_rank"], 2500000000);
  EXPECT_EQ(doc["links"][0]["capacity_bytes_per_s"], 450e9);
  EXPECT_EQ(doc["links"][0]["peak_utilisation"], 0.75);
}

TEST(PredictionJson, EqualPredictionsGiveEqualBytes) {
  EXPECT_EQ(document_text(document()), document_text(document()));
  EXPECT_EQ(document_text(nlohmann::json{{"b", 1}, {"a", 0.1}}),
            "{\n  \"a\": 0.1,\n  \"b\": 1\n}\n");
}

TEST(DocumentText, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(document_text(nlohmann::json{{"a", "x\xff"}}), "{\n  \"a\": \"x\uFFFD\"\n}\n");
}

}  // namespace
}  // namespace stepcast

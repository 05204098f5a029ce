#include "reports/comparison_json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/reports/report_fixtures.hpp"

namespace stepcast {
namespace {

using namespace report_fixtures;

TEST(ComparisonJson, HoldsPredictionsDifferencesRankingAndPareto) {
  Prediction faster = small_prediction();
  faster.breakdown = {stage_breakdown(0, 0.5)};
  faster.step_p50 = Seconds{7.5};
  faster.tokens_per_s_per_gpu = 1092.0;
  const std::vector<Forecast> forecasts{forecast("a.json", small_prediction()),
                                        forecast("b.json", faster)};
  const nlohmann::json document = to_json(compare(forecasts), forecasts, {{{"n", 0}}, {{"n", 1}}});
  EXPECT_EQ(document["format"], "stepcast.comparison");
  EXPECT_EQ(document["version"], 1);
  EXPECT_EQ(document["labels"], (nlohmann::json{"a.json", "b.json"}));
  EXPECT_EQ(document["predictions"][1]["n"], 1);
  EXPECT_EQ(document["ranking"], (nlohmann::json{1, 0}));
  const auto& step = document["differences"][0];
  EXPECT_EQ(step["metric"], "step_time_s");
  EXPECT_EQ(step["values"], (nlohmann::json{8.0, 7.5}));
  EXPECT_EQ(step["from"], 0);
  EXPECT_EQ(step["to"], 1);
  EXPECT_EQ(step["terms"], nlohmann::json::array({{{"name", "bubble"}, {"seconds", -0.5}}}));
}

TEST(ComparisonJson, MemoryTermsAreInBytes) {
  Prediction other = small_prediction();
  other.memory = {stage_memory(0, 29.0)};
  const std::vector<Forecast> forecasts{forecast("a", small_prediction()), forecast("b", other)};
  const nlohmann::json document = to_json(compare(forecasts), forecasts, {{{"n", 0}}, {{"n", 1}}});
  const auto& peak = document["differences"][1];
  EXPECT_EQ(peak["metric"], "peak_allocated_bytes");
  EXPECT_EQ(peak["terms"],
            nlohmann::json::array({{{"name", "activations"}, {"bytes", -1073741824.0}}}));
}

TEST(ComparisonJson, HoldsChangedInputsAsDataAndOverlappingPairs) {
  std::vector<Forecast> forecasts{forecast("a", small_prediction()),
                                  forecast("b", small_prediction())};
  forecasts[1].inputs["parallel.tensor"] = "8";
  forecasts[1].inputs["overlap.tensor"] = "true";
  forecasts[1].inputs["parallel.schedule"] = "gpipe";
  const nlohmann::json document = to_json(compare(forecasts), forecasts, {{{"n", 0}}, {{"n", 1}}});
  EXPECT_EQ(document["inputs_changed"], nlohmann::json::parse(R"([
      {"path": "overlap.tensor", "values": [null, true]},
      {"path": "parallel.schedule", "values": ["1f1b", "gpipe"]},
      {"path": "parallel.tensor", "values": [4, 8]}])"));
  EXPECT_EQ(document["overlapping"], nlohmann::json::parse("[[0, 1]]"));
  EXPECT_EQ(document["notes"].size(), 1U);
}

}  // namespace
}  // namespace stepcast

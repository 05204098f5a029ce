#include "reports/schemas.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "models/load.hpp"
#include "reports/collective_json.hpp"
#include "reports/comparison_json.hpp"
#include "reports/model_text.hpp"
#include "reports/prediction_json.hpp"
#include "reports/score_json.hpp"
#include "reports/sweep_json.hpp"
#include "sim/cost/profile_json.hpp"
#include "tests/reports/report_fixtures.hpp"
#include "tests/reports/schema_check.hpp"
#include "topologies/cluster_json.hpp"

namespace stepcast {
namespace {

using namespace report_fixtures;

TEST(Schemas, AreCompiledIn) {
  EXPECT_THAT(names_of(embedded_schemas()),
              testing::UnorderedElementsAre("advice", "collective", "comparison", "health",
                                            "migration", "model", "prediction", "profile", "run",
                                            "score", "search", "sweep", "timeline", "topology"));
}

TEST(Schemas, AcceptAPrediction) {
  STEPCAST_EXPECT_SCHEMA("prediction", document_text(to_json(small_prediction(), small_run())));
}

TEST(Schemas, RefuseAPredictionWithAnotherKey) {
  auto document = to_json(small_prediction(), small_run());
  document["step_time_ms"] = 8000;
  const SchemaVerdict verdict = check_schema("prediction", document_text(document));
  if (verdict == SchemaVerdict::no_validator) GTEST_SKIP() << "python3-jsonschema is not installed";
  EXPECT_EQ(verdict, SchemaVerdict::invalid);
}

TEST(Schemas, AcceptAComparison) {
  const std::vector<Forecast> forecasts{forecast("a", small_prediction()),
                                        forecast("b", small_prediction())};
  const auto document = to_json(small_prediction(), small_run());
  STEPCAST_EXPECT_SCHEMA(
      "comparison", document_text(to_json(compare(forecasts), forecasts, {document, document})));
}

TEST(Schemas, AcceptASweep) {
  InputSweep sweep;
  sweep.axes = {{"parallel.tensor", "", AxisKind::value, {{"4", "4", 4.0}, {"6", "6", 6.0}}}};
  sweep.points = sweep_points(sweep.axes);
  sweep.points[0].forecast = forecast("a", small_prediction());
  sweep.points[1].problem = "parallel.tensor = 6: must divide";
  evaluate(sweep);
  STEPCAST_EXPECT_SCHEMA("sweep", document_text(to_json(sweep, {{"model", "m"}}, "operations")));
}

TEST(Schemas, AcceptACollectiveSweep) {
  CollectiveRow row;
  row.ranks = 8;
  row.nodes = 1;
  row.bytes = Bytes{8};
  row.estimate.latency = Seconds{1e-5};
  STEPCAST_EXPECT_SCHEMA("collective", document_text(to_json({row}, "dgx-h100:1", Profile{})));
}

TEST(Schemas, AcceptAScore) {
  ScoredRow scored;
  scored.id = "a";
  scored.source = "s";
  scored.metric = "step_time_s";
  scored.observed = 1.0;
  scored.predicted = 1.1;
  ScoredRow skipped = scored;
  skipped.skipped = "why";
  STEPCAST_EXPECT_SCHEMA("score", document_text(to_json(summarize({scored, skipped}))));
}

TEST(Schemas, AcceptAResolvedRun) {
  STEPCAST_EXPECT_SCHEMA("run", document_text(to_json(small_run())));
}

TEST(Schemas, AcceptWrittenTopologies) {
  for (const char* name : {"dgx-h100:2", "dgx-a100:1", "gb200-nvl72:1", "cpu-host:1"})
    STEPCAST_EXPECT_SCHEMA("topology", document_text(to_json(load_cluster(name))));
}

TEST(Schemas, AcceptEveryModelPreset) {
  for (const char* name : {"llama-3-8b", "gpt3-175b", "mixtral-8x7b", "deepseek-v3"})
    STEPCAST_EXPECT_SCHEMA("model", document_text(model_document(load_model(name))));
}

TEST(Schemas, AcceptWrittenProfiles) {
  for (const char* name : {"cpu", "h100-sxm"})
    STEPCAST_EXPECT_SCHEMA("profile", profile_text(load_profile(name)));
}

}  // namespace
}  // namespace stepcast

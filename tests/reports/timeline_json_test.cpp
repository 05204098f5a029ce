#include "reports/timeline_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "reports/prediction_json.hpp"
#include "tests/reports/report_fixtures.hpp"
#include "tests/reports/schema_check.hpp"

namespace stepcast {
namespace {

using namespace report_fixtures;
using nlohmann::json;

constexpr std::int64_t second = 1'000'000'000'000;

Span span(std::int32_t stage, const char* lane, const char* category, double start, double end) {
  const auto at = [](double s) { return SimTime{static_cast<std::int64_t>(s * second)}; };
  return {stage, lane, "a " + std::string(lane) + " bar", category, at(start), at(end)};
}

// Two stages, 8 s: each second a forward or backward of half a second.
PredictionWithTrace two_stages() {
  PredictionWithTrace result;
  result.prediction = small_prediction();
  for (std::int32_t stage = 0; stage < 2; ++stage) {
    std::vector<TimedAction> actions;
    for (std::int32_t i = 0; i < 8; ++i)
      actions.push_back({{i < 4 ? ActionKind::forward : ActionKind::backward, stage, i % 4},
                         SimTime{i * second},
                         SimTime{i * second + second / 2}});
    result.actions.push_back(actions);
  }
  result.trace = {span(1, "pipeline", "communication", 4.5, 4.75),
                  span(0, "pipeline", "communication", 0.5, 0.75),
                  span(0, "compute", "optimizer", 7.5, 8.0),
                  span(0, "data", "communication", 0.0, 0.25)};
  return result;
}

TEST(TimelineJson, ListsActionsAndSpansOfEachStageByTime) {
  const json document = timeline_json(two_stages());
  EXPECT_EQ(document["format"], "stepcast.timeline");
  EXPECT_EQ(document["shown"], json::parse("[[0.0, 8.0]]"));
  EXPECT_EQ(document["left_out"], json::parse(R"({"actions": 0, "spans": 0})"));
  ASSERT_EQ(document["stages"].size(), 2U);
  EXPECT_EQ(document["stages"][1]["actions"][5], json::parse(R"({
    "kind": "backward", "chunk": 1, "micro_batch": 1, "start_s": 5.0, "end_s": 5.5})"));
  std::vector<std::string> lanes;
  for (const json& entry : document["stages"][0]["spans"]) lanes.push_back(entry["lane"]);
  EXPECT_EQ(lanes, (std::vector<std::string>{"data", "pipeline", "optimizer"}));
}

TEST(TimelineJson, LeavesOutWhatHappensInsideActions) {
  PredictionWithTrace result = two_stages();
  const json outline = timeline_json(result);
  result.trace.push_back(span(0, "tensor", "communication", 1.0, 1.25));
  result.trace.push_back(span(0, "context", "communication", 1.0, 1.25));
  result.trace.push_back(span(0, "compute", "compute", 1.0, 1.25));
  EXPECT_EQ(timeline_json(result), outline);
}

TEST(TimelineJson, ShowsBeginningMiddleAndEndOfALongStepAndCountsTheRest) {
  // 20 bars, 10 allowed: half of 8 s is shown, 1.6 s at each end and 0.8 s in the middle. Of a
  // stage's forwards and backwards those at 0, 1 | 4 | 7 s touch them; so do all spans.
  const json document = timeline_json(two_stages(), {.bars = 10});
  std::vector<double> edges;
  for (const json& window : document["shown"])
    for (const double edge : window) edges.push_back(edge);
  EXPECT_THAT(edges, testing::Pointwise(testing::DoubleEq(), {0.0, 1.6, 3.6, 4.4, 6.4, 8.0}));
  std::vector<double> starts;
  for (const json& action : document["stages"][0]["actions"]) starts.push_back(action["start_s"]);
  EXPECT_EQ(starts, (std::vector<double>{0.0, 1.0, 4.0, 6.0, 7.0}));
  EXPECT_EQ(document["left_out"], json::parse(R"({"actions": 6, "spans": 1})"));
}

TEST(TimelineJson, IsValid) {
  STEPCAST_EXPECT_SCHEMA("timeline", document_text(timeline_json(two_stages())));
}

TEST(TimelineJson, DescribesASimulatedStep) {
  const auto run = small_run();
  const PredictionWithTrace result = predict(run, load_profile(run.profile), KeepTrace::outline);
  const json document = timeline_json(result);
  ASSERT_EQ(document["stages"].size(), 2U);
  for (std::size_t stage = 0; stage < 2; ++stage) {
    const json& entry = document["stages"][stage];
    EXPECT_EQ(entry["actions"].size(), 16U);  // 8 micro-batches
    double peak = 0.0;
    for (const json& point : entry["memory"]) peak = std::max(peak, point[1].get<double>());
    EXPECT_EQ(peak, result.prediction.memory[stage].peak_allocated.value());
  }
  STEPCAST_EXPECT_SCHEMA("timeline", document_text(document));
}

}  // namespace
}  // namespace stepcast

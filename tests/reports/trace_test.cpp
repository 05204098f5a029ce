#include "reports/trace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/predict/predict.hpp"

#include "tests/reports/report_fixtures.hpp"
#include "tests/reports/trace_rules.hpp"

namespace stepcast {
namespace {

using namespace report_fixtures;
using nlohmann::json;

Span span(std::int32_t stage, const std::string& lane, const std::string& name, std::int64_t start,
          std::int64_t end) {
  return {stage, lane, name, "gemm", SimTime{start}, SimTime{end}};
}

json events_of(const std::vector<Span>& spans, const Prediction& prediction, const char* phase) {
  json out = json::array();
  const json document = json::parse(chrome_trace(spans, prediction));
  for (const json& event : document["traceEvents"])
    if (event["ph"] == phase) out.push_back(event);
  return out;
}

TEST(ChromeTrace, IsAProcessAStageAndAThreadALane) {
  const std::vector<Span> spans{span(1, "compute", "b", 0, 1000000), span(0, "data", "r", 0, 10),
                                span(0, "compute", "a", 0, 10)};
  const json names = events_of(spans, Prediction{}, "M");
  std::vector<std::string> lines;
  for (const json& event : names)
    if (event["name"] == "process_name" || event["name"] == "thread_name")
      lines.push_back(event["pid"].dump() + "/" + event["tid"].dump() + " " +
                      event["args"]["name"].get<std::string>());
  EXPECT_EQ(lines, (std::vector<std::string>{"0/0 stage 0", "0/0 compute", "0/1 data",
                                             "1/0 stage 1", "1/0 compute"}));
}

TEST(ChromeTrace, KeepsPicosecondsInMicroseconds) {
  const json events =
      events_of({span(0, "compute", "gemm", 1234567, 15000000000001)}, Prediction{}, "X");
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0]["ts"].dump(), "1.234567");
  EXPECT_EQ(events[0]["dur"].dump(), "14999998.765434");
  EXPECT_EQ(events[0]["name"], "gemm");
  EXPECT_EQ(events[0]["cat"], "gemm");
}

TEST(ChromeTrace, WritesWholeMicrosecondsWithoutAPoint) {
  const std::string text = chrome_trace({span(0, "compute", "a", 2000000, 12000000)}, Prediction{});
  EXPECT_NE(text.find("\"ts\":2,\"dur\":10}"), std::string::npos) << text;
}

TEST(ChromeTrace, SortsByProcessThreadAndTime) {
  std::vector<Span> spans{span(1, "compute", "d", 0, 1), span(0, "tensor", "c", 0, 1),
                          span(0, "compute", "b", 5, 6), span(0, "compute", "a", 2, 3)};
  const std::string sorted = chrome_trace(spans, Prediction{});
  std::string order;
  for (const json& event : events_of(spans, Prediction{}, "X"))
    order += event["name"].get<std::string>();
  EXPECT_EQ(order, "abcd");
  std::reverse(spans.begin(), spans.end());
  EXPECT_EQ(chrome_trace(spans, Prediction{}), sorted);
}

TEST(ChromeTrace, EscapesNames) {
  const json events = events_of({span(0, "compute", "say \"hi\"\n", 0, 1)}, Prediction{}, "X");
  EXPECT_EQ(events[0]["name"], "say \"hi\"\n");
}

TEST(ChromeTrace, CountsAllocatedBytes) {
  const json counters = events_of({}, small_prediction(), "C");
  ASSERT_EQ(counters.size(), 4U);  // two changes on each of two stages
  EXPECT_EQ(counters[1]["ts"].dump(), "1500000");
  EXPECT_EQ(counters[1]["args"]["bytes"].dump(), "60129542144");  // 56 GiB
}

TEST(ChromeTrace, PutsOverlappingBarsOfALaneOnThreadsOfTheirOwn) {
  const std::vector<Span> spans{
      span(0, "pipeline", "there", 0, 10), span(0, "pipeline", "back", 5, 15),
      span(0, "pipeline", "again", 10, 20), span(0, "data", "reduce", 0, 20)};
  std::vector<std::string> lines;
  for (const json& event : events_of(spans, Prediction{}, "X"))
    lines.push_back(event["tid"].dump() + " " + event["name"].get<std::string>());
  EXPECT_EQ(lines, (std::vector<std::string>{"0 there", "0 again", "1 back", "2 reduce"}));
  EXPECT_EQ(trace_problems(json::parse(chrome_trace(spans, Prediction{}))),
            std::vector<std::string>{});
}

TEST(ChromeTrace, SaysWhatItLeavesOut) {
  std::vector<Span> spans;
  for (std::int64_t i = 0; i < 100; ++i)
    spans.push_back(span(0, "compute", "k", i * 1000000000000, (i + 1) * 1000000000000));
  const json document = json::parse(chrome_trace(spans, Prediction{}, {.spans = 50}));
  // Half of 100 s: 20 s at each end, 10 s in the middle.
  EXPECT_EQ(document["otherData"]["shown"], "0 to 20 s, 45 to 55 s, 80 to 100 s");
  EXPECT_EQ(document["otherData"]["left_out"], "50 of 100 spans");
}

TEST(ChromeTrace, OfASimulatedStepKeepsPerfettosRules) {
  const auto run = small_run();
  const PredictionWithTrace result = predict(run, load_profile(run.profile), KeepTrace::yes);
  const json document = json::parse(chrome_trace(result.trace, result.prediction));
  EXPECT_EQ(trace_problems(document), std::vector<std::string>{});
  EXPECT_EQ(document["otherData"]["left_out"],
            "0 of " + std::to_string(result.trace.size()) + " spans");
}

TEST(ChromeTrace, OfSixteenStagesOfABigRunStaysBelow50Megabytes) {
  // 60,000 bars a stage, with names as long as the simulator writes.
  std::vector<Span> spans;
  for (std::int32_t stage = 0; stage < 16; ++stage)
    for (std::int64_t i = 0; i < 60000; ++i)
      spans.push_back({stage, "compute", "query, key and value and 12 more", "recompute",
                       SimTime{i * 987654321}, SimTime{(i + 1) * 987654321}});
  const std::string text = chrome_trace(spans, Prediction{});
  EXPECT_LT(text.size(), 50'000'000U);
  EXPECT_GT(text.size(), 30'000'000U);
}

TEST(TraceRules, SeeWhatPerfettoWouldRefuse) {
  const auto expect = [](const char* events, const char* problem) {
    EXPECT_EQ(trace_problems({{"traceEvents", json::parse(events)}}),
              std::vector<std::string>{problem})
        << events;
  };
  expect(R"([{"ph":"Z","pid":0,"tid":0}])", "event 0: phase Z");
  expect(R"([{"ph":"X","name":"a","pid":0,"tid":0,"ts":1,"dur":-1}])", "event 0: no duration");
  expect(R"([{"ph":"X","name":"a","pid":0,"tid":0,"ts":5,"dur":1},
             {"ph":"X","name":"b","pid":0,"tid":0,"ts":2,"dur":1}])",
         "event 1: before the one above");
  expect(R"([{"ph":"X","name":"a","pid":0,"tid":0,"ts":0,"dur":5},
             {"ph":"X","name":"b","pid":0,"tid":0,"ts":2,"dur":5}])",
         "event 1: overlaps the one above without nesting");
  expect(R"([{"ph":"M","name":"process_nickname","pid":0,"tid":0,"args":{"name":"a"}}])",
         "event 0: metadata process_nickname");
  expect(R"([{"ph":"s","name":"f","id":7,"pid":0,"tid":0,"ts":0}])", "flow 7 is not paired");
  expect(R"([{"ph":"C","name":"c","pid":0,"tid":0,"ts":0,"args":{"v":"1"}}])",
         "event 0: a counter of text");
}

}  // namespace
}  // namespace stepcast

#include "reports/trace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/reports/report_fixtures.hpp"

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
  EXPECT_EQ(lines, (std::vector<std::string>{"0/0 stage 0", "1/0 stage 1", "0/0 compute",
                                             "0/1 data", "1/0 compute"}));
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

}  // namespace
}  // namespace stepcast

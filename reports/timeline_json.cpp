#include "reports/timeline_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "reports/json_numbers.hpp"
#include "reports/memory_points.hpp"
#include "reports/time_windows.hpp"
#include "reports/version.hpp"

namespace stepcast {

namespace {

using nlohmann::json;

const char* name_of(ActionKind kind) {
  switch (kind) {
    case ActionKind::forward: return "forward";
    case ActionKind::backward: return "backward";
  }
  return "";
}

// Bars of the picture, apart from what happens inside an action.
bool drawn(const Span& span) {
  return span.category == "optimizer" ||
         (span.category == "communication" && span.lane != "tensor" && span.lane != "context");
}

// Each stage's bars outside its actions, by time.
std::vector<std::vector<Span>> spans_by_stage(const std::vector<Span>& trace, std::size_t stages) {
  std::vector<std::vector<Span>> spans(stages);
  for (const Span& span : trace)
    if (drawn(span)) spans[static_cast<std::size_t>(span.stage)].push_back(span);
  for (std::vector<Span>& stage : spans)
    std::stable_sort(stage.begin(), stage.end(), [](const Span& a, const Span& b) {
      return std::tie(a.start, a.lane) < std::tie(b.start, b.lane);
    });
  return spans;
}

json action_json(const TimedAction& timed) {
  return {{"kind", name_of(timed.action.kind)},
          {"chunk", timed.action.chunk},
          {"micro_batch", timed.action.micro_batch},
          {"start_s", to_seconds(timed.start).value()},
          {"end_s", to_seconds(timed.end).value()}};
}

json span_json(const Span& span) {
  return {{"lane", span.category == "optimizer" ? span.category : span.lane},
          {"name", span.name},
          {"start_s", to_seconds(span.start).value()},
          {"end_s", to_seconds(span.end).value()}};
}

json memory_json(const MemoryPoints& points) {
  json out = json::array();
  for (const auto& [at, bytes] : points) out.push_back({at.value(), bytes_json(bytes)});
  return out;
}

// Appends those of `bars` that the windows show; returns how many they do not.
template <class Bar, class ToJson>
std::size_t add_shown(json& to, const std::vector<Bar>& bars,
                      const std::vector<TimeWindow>& windows, ToJson to_json) {
  to = json::array();
  for (const Bar& bar : bars)
    if (is_shown(bar.start, bar.end, windows)) to.push_back(to_json(bar));
  return bars.size() - to.size();
}

}  // namespace

json timeline_json(const PredictionWithTrace& result, const TimelineLimits& limits) {
  const std::size_t stages = result.actions.size();
  const std::vector<std::vector<Span>> spans = spans_by_stage(result.trace, stages);
  std::size_t bars = 0;
  for (std::size_t stage = 0; stage < stages; ++stage)
    bars += result.actions[stage].size() + spans[stage].size();
  const SimTime end = after(SimTime{}, result.prediction.step_p50);
  const std::vector<TimeWindow> windows = shown_windows(end, bars, limits.bars);
  const std::size_t points = points_of_a_stage(limits.memory_points, stages);
  json out{{"format", "stepcast.timeline"},
           {"version", 1},
           {"step_time_s", result.prediction.step_p50.value()},
           {"memory_capacity_bytes", bytes_json(result.prediction.memory_capacity)},
           {"stages", json::array()},
           {"shown", json::array()},
           {"provenance", {{"version", product_version()}}}};
  std::size_t actions_left = 0, spans_left = 0;
  for (std::size_t stage = 0; stage < stages; ++stage) {
    json entry{{"stage", stage}};
    actions_left += add_shown(entry["actions"], result.actions[stage], windows, action_json);
    spans_left += add_shown(entry["spans"], spans[stage], windows, span_json);
    entry["memory"] = memory_json(thin(result.prediction.memory[stage].timeline, points));
    out["stages"].push_back(std::move(entry));
  }
  for (const TimeWindow& window : windows)
    out["shown"].push_back({to_seconds(window.start).value(), to_seconds(window.end).value()});
  out["left_out"] = {{"actions", actions_left}, {"spans", spans_left}};
  return out;
}

}  // namespace stepcast

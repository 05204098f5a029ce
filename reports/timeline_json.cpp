#include "reports/timeline_json.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <tuple>

#include "reports/json_numbers.hpp"
#include "reports/version.hpp"

namespace stepcast {

namespace {

using nlohmann::json;

struct Window {
  SimTime start, end;
};

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

// Warm-up and cool-down get two fifths each of what may be shown: they differ from micro-batch to
// micro-batch, the steady state repeats itself.
std::vector<Window> windows_of(SimTime end, std::size_t bars, std::size_t limit) {
  if (bars <= limit) return {{SimTime{}, end}};
  const double share = static_cast<double>(limit) / static_cast<double>(bars);
  const auto length = [&](double part) {
    return static_cast<std::int64_t>(static_cast<double>(end.ps) * share * part);
  };
  const std::int64_t edge = length(0.4), middle = length(0.2);
  return {{SimTime{}, SimTime{edge}},
          {SimTime{(end.ps - middle) / 2}, SimTime{(end.ps + middle) / 2}},
          {SimTime{end.ps - edge}, end}};
}

bool is_shown(SimTime start, SimTime end, const std::vector<Window>& windows) {
  return std::any_of(windows.begin(), windows.end(), [&](const Window& window) {
    return start < window.end && end > window.start;
  });
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
std::size_t add_shown(json& to, const std::vector<Bar>& bars, const std::vector<Window>& windows,
                      ToJson to_json) {
  to = json::array();
  for (const Bar& bar : bars)
    if (is_shown(bar.start, bar.end, windows)) to.push_back(to_json(bar));
  return bars.size() - to.size();
}

}  // namespace

MemoryPoints thin(const MemoryPoints& points, std::size_t limit) {
  if (points.size() <= limit) return points;
  const std::size_t stretches = limit / 2;
  const double from = points.front().first.value();
  const double length = (points.back().first.value() - from) / static_cast<double>(stretches);
  const auto by_bytes = [](const auto& a, const auto& b) { return a.second < b.second; };
  MemoryPoints kept;
  auto begin = points.begin();
  for (std::size_t stretch = 1; stretch <= stretches && begin != points.end(); ++stretch) {
    const double until = from + length * static_cast<double>(stretch);
    const auto end =
        stretch == stretches ? points.end() : std::find_if(begin, points.end(), [&](const auto& p) {
          return p.first.value() >= until;
        });
    if (begin == end) continue;
    auto low = std::min_element(begin, end, by_bytes),
         high = std::max_element(begin, end, by_bytes);
    if (high < low) std::swap(low, high);
    kept.push_back(*low);
    if (high != low) kept.push_back(*high);
    begin = end;
  }
  return kept;
}

json timeline_json(const PredictionWithTrace& result, const TimelineLimits& limits) {
  const std::size_t stages = result.actions.size();
  const std::vector<std::vector<Span>> spans = spans_by_stage(result.trace, stages);
  std::size_t bars = 0;
  for (std::size_t stage = 0; stage < stages; ++stage)
    bars += result.actions[stage].size() + spans[stage].size();
  const SimTime end = after(SimTime{}, result.prediction.step_p50);
  const std::vector<Window> windows = windows_of(end, bars, limits.bars);
  const std::size_t points =
      std::clamp<std::size_t>(limits.memory_points / std::max<std::size_t>(stages, 1), 200, 2000);
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
  for (const Window& window : windows)
    out["shown"].push_back({to_seconds(window.start).value(), to_seconds(window.end).value()});
  out["left_out"] = {{"actions", actions_left}, {"spans", spans_left}};
  return out;
}

}  // namespace stepcast

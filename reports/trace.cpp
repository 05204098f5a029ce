#include "reports/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "reports/json_numbers.hpp"
#include "reports/memory_points.hpp"
#include "reports/time_windows.hpp"
#include "reports/version.hpp"

namespace stepcast {

namespace {

// Lanes from top to bottom; others follow by name.
constexpr std::array<std::string_view, 8> lane_order{"compute", "tensor",    "context", "pipeline",
                                                     "data",    "embedding", "model",   "host"};

// A span on its thread. The slices of a thread must nest, so bars of a lane that overlap (sends in
// two directions) are on several threads of its name.
struct Placed {
  const Span* span = nullptr;
  int thread = 0;
};

bool same_lane(const Span& a, const Span& b) { return a.stage == b.stage && a.lane == b.lane; }

bool before(const Placed& a, const Placed& b) {
  const auto key = [](const Span& span) {
    const auto place = std::find(lane_order.begin(), lane_order.end(), span.lane);
    return std::tuple(span.stage, place - lane_order.begin(), std::string_view(span.lane),
                      span.start, span.end, std::string_view(span.name));
  };
  return key(*a.span) < key(*b.span);
}

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Whole and fractional microseconds without a detour over floating point.
std::string microseconds_text(std::int64_t ps) {
  std::string text = fmt::format("{}.{:06}", ps / 1000000, ps % 1000000);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

// The shown spans by stage, thread and time; each is on the first free thread of its lane.
std::vector<Placed> place(const std::vector<Span>& spans, const std::vector<TimeWindow>& windows) {
  std::vector<Placed> placed;
  for (const Span& span : spans)
    if (is_shown(span.start, span.end, windows)) placed.push_back({&span});
  std::stable_sort(placed.begin(), placed.end(), before);
  std::vector<SimTime> free;  // when each thread of the lane is
  int first = 0;              // of the lane's threads
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const Span& span = *placed[i].span;
    if (i == 0 || !same_lane(*placed[i - 1].span, span)) {
      const bool same_stage = i > 0 && placed[i - 1].span->stage == span.stage;
      first = same_stage ? first + static_cast<int>(free.size()) : 0;
      free.clear();
    }
    auto thread =
        std::find_if(free.begin(), free.end(), [&](SimTime at) { return at <= span.start; });
    if (thread == free.end()) thread = free.insert(thread, SimTime{});
    *thread = span.end;
    placed[i].thread = first + static_cast<int>(thread - free.begin());
  }
  std::stable_sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
    return std::pair(a.span->stage, a.thread) < std::pair(b.span->stage, b.thread);
  });
  return placed;
}

class Writer {
 public:
  void add(const std::string& event) {
    text_ += text_.empty() ? "\n" : ",\n";
    text_ += event;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

void add_metadata(const std::vector<Placed>& placed, Writer& out) {
  const auto add = [&](const char* what, std::int32_t pid, int tid, const std::string& args) {
    out.add(fmt::format(R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{{}}}}})", what, pid,
                        tid, args));
  };
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const std::int32_t stage = placed[i].span->stage;
    const int thread = placed[i].thread;
    const bool new_stage = i == 0 || placed[i - 1].span->stage != stage;
    if (new_stage) {
      add("process_name", stage, 0, fmt::format(R"("name":"stage {}")", stage));
      add("process_sort_index", stage, 0, fmt::format(R"("sort_index":{})", stage));
    }
    if (!new_stage && placed[i - 1].thread == thread) continue;
    add("thread_name", stage, thread, R"("name":)" + quoted(placed[i].span->lane));
    add("thread_sort_index", stage, thread, fmt::format(R"("sort_index":{})", thread));
  }
}

void add_spans(const std::vector<Placed>& placed, Writer& out) {
  for (const auto& [span, thread] : placed)
    out.add(fmt::format(R"({{"ph":"X","name":{},"cat":{},"pid":{},"tid":{},"ts":{},"dur":{}}})",
                        quoted(span->name), quoted(span->category), span->stage, thread,
                        microseconds_text(span->start.ps),
                        microseconds_text(span->end.ps - span->start.ps)));
}

void add_memory(const Prediction& prediction, std::size_t limit, Writer& out) {
  constexpr const char* event =
      "{{\"ph\":\"C\",\"name\":\"allocated (bytes)\",\"pid\":{},\"tid\":0,\"ts\":{},"
      "\"args\":{{\"bytes\":{}}}}}";
  const std::size_t points = points_of_a_stage(limit, prediction.memory.size());
  for (const StageMemory& stage : prediction.memory)
    for (const auto& [at, bytes] : thin(stage.timeline, points))
      out.add(fmt::format(event, stage.stage, microseconds_text(after(SimTime{}, at).ps),
                          bytes_json(bytes).dump()));
}

// "0 to 1.2 s, 7.4 to 8.1 s, 14 to 15.2 s"
std::string windows_text(const std::vector<TimeWindow>& windows) {
  std::string text;
  for (const TimeWindow& window : windows)
    text += fmt::format("{}{} to {} s", text.empty() ? "" : ", ", to_seconds(window.start).value(),
                        to_seconds(window.end).value());
  return text;
}

}  // namespace

std::string chrome_trace(const std::vector<Span>& spans, const Prediction& prediction,
                         const TraceLimits& limits) {
  SimTime end;
  for (const Span& span : spans) end = std::max(end, span.end);
  const std::vector<TimeWindow> windows = shown_windows(end, spans.size(), limits.spans);
  const std::vector<Placed> placed = place(spans, windows);
  Writer out;
  add_metadata(placed, out);
  add_spans(placed, out);
  add_memory(prediction, limits.memory_points, out);
  const nlohmann::json about{
      {"product", fmt::format("stepcast {}", product_version())},
      {"ranks", "one of each pipeline stage"},
      {"shown", windows_text(windows)},
      {"left_out", fmt::format("{} of {} spans", spans.size() - placed.size(), spans.size())}};
  return fmt::format("{{\"displayTimeUnit\":\"ms\",\"otherData\":{},\"traceEvents\":[{}\n]}}\n",
                     about.dump(), out.text());
}

}  // namespace stepcast

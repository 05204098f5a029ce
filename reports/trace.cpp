#include "reports/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "reports/json_numbers.hpp"
#include "reports/version.hpp"

namespace stepcast {

namespace {

// Lanes from top to bottom; others follow by name.
constexpr std::array<std::string_view, 8> lane_order{"compute", "tensor",    "context", "pipeline",
                                                     "data",    "embedding", "model",   "host"};

using Lane = std::pair<std::int32_t, std::string>;

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

std::map<Lane, int> number_lanes(const std::vector<Span>& spans) {
  std::set<Lane> lanes;
  for (const Span& span : spans) lanes.emplace(span.stage, span.lane);
  const auto place = [](const std::string& lane) {
    return std::find(lane_order.begin(), lane_order.end(), lane) - lane_order.begin();
  };
  std::vector<Lane> ordered(lanes.begin(), lanes.end());
  std::sort(ordered.begin(), ordered.end(), [&](const Lane& a, const Lane& b) {
    return std::tuple(a.first, place(a.second), a.second) <
           std::tuple(b.first, place(b.second), b.second);
  });
  std::map<Lane, int> numbers;
  int next = 0;
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    next = i > 0 && ordered[i - 1].first == ordered[i].first ? next + 1 : 0;
    numbers[ordered[i]] = next;
  }
  return numbers;
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

void add_metadata(const std::map<Lane, int>& lanes, Writer& out) {
  std::set<std::int32_t> stages;
  for (const auto& [lane, number] : lanes) stages.insert(lane.first);
  const auto add = [&](const char* what, std::int32_t pid, int tid, const std::string& args) {
    out.add(fmt::format(R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{{}}}}})", what, pid,
                        tid, args));
  };
  for (const std::int32_t stage : stages) {
    add("process_name", stage, 0, fmt::format(R"("name":"stage {}")", stage));
    add("process_sort_index", stage, 0, fmt::format(R"("sort_index":{})", stage));
  }
  std::vector<std::pair<Lane, int>> ordered(lanes.begin(), lanes.end());
  std::sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first.first, a.second) < std::pair(b.first.first, b.second);
  });
  for (const auto& [lane, number] : ordered) {
    add("thread_name", lane.first, number, R"("name":)" + quoted(lane.second));
    add("thread_sort_index", lane.first, number, fmt::format(R"("sort_index":{})", number));
  }
}

void add_spans(const std::vector<Span>& spans, const std::map<Lane, int>& lanes, Writer& out) {
  std::vector<std::pair<int, const Span*>> ordered;
  ordered.reserve(spans.size());
  for (const Span& span : spans) ordered.emplace_back(lanes.at({span.stage, span.lane}), &span);
  std::stable_sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) {
    return std::tie(a.second->stage, a.first, a.second->start, a.second->end, a.second->name) <
           std::tie(b.second->stage, b.first, b.second->start, b.second->end, b.second->name);
  });
  for (const auto& [tid, span] : ordered)
    out.add(fmt::format(R"({{"ph":"X","name":{},"cat":{},"pid":{},"tid":{},"ts":{},"dur":{}}})",
                        quoted(span->name), quoted(span->category), span->stage, tid,
                        microseconds_text(span->start.ps),
                        microseconds_text(span->end.ps - span->start.ps)));
}

void add_memory(const Prediction& prediction, Writer& out) {
  constexpr const char* event =
      "{{\"ph\":\"C\",\"name\":\"allocated (bytes)\",\"pid\":{},\"tid\":0,\"ts\":{},"
      "\"args\":{{\"bytes\":{}}}}}";
  for (const StageMemory& stage : prediction.memory)
    for (const auto& [at, bytes] : stage.timeline)
      out.add(fmt::format(event, stage.stage, microseconds_text(after(SimTime{}, at).ps),
                          bytes_json(bytes).dump()));
}

}  // namespace

std::string chrome_trace(const std::vector<Span>& spans, const Prediction& prediction) {
  const std::map<Lane, int> lanes = number_lanes(spans);
  Writer out;
  add_metadata(lanes, out);
  add_spans(spans, lanes, out);
  add_memory(prediction, out);
  return fmt::format(
      "{{\"displayTimeUnit\":\"ms\",\"otherData\":{{\"product\":\"stepcast {}\"}},"
      "\"traceEvents\":[{}\n]}}\n",
      product_version(), out.text());
}

}  // namespace stepcast

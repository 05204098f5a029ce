#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace stepcast {

// Holds events against what Perfetto's importer asks of a trace in JSON (Trace Event Format):
// known phases with their fields, whole process and thread numbers, no negative time, slices of a
// thread in order and nested, named metadata, numbers in counters, both ends of each flow.
class TraceRules {
 public:
  void check(const nlohmann::json& event) {
    const std::string phase = event.value("ph", "");
    if (!is_whole(event, "pid") || !is_whole(event, "tid")) {
      complain("no process or thread");
    } else if (phase == "M") {
      check_metadata(event);
    } else if (!std::set<std::string>{"X", "C", "s", "t", "f"}.contains(phase)) {
      complain("phase " + phase);
    } else if (!is_time(event, "ts") || !event.contains("name") || !event["name"].is_string()) {
      complain("no time or name");
    } else if (phase == "C") {
      for (const nlohmann::json& value : event.value("args", nlohmann::json::object()))
        if (!value.is_number()) complain("a counter of text");
    } else if (phase == "X") {
      check_slice(event);
    } else {
      flows_[event.at("id").dump()] += phase == "s" ? 1 : phase == "f" ? -1 : 0;
    }
    ++number_;
  }

  [[nodiscard]] std::vector<std::string> problems() const {
    std::vector<std::string> all = problems_;
    for (const auto& [id, balance] : flows_)
      if (balance != 0) all.push_back("flow " + id + " is not paired");
    return all;
  }

 private:
  static bool is_whole(const nlohmann::json& event, const char* key) {
    return event.contains(key) && event[key].is_number_integer();
  }
  static bool is_time(const nlohmann::json& event, const char* key) {
    return event.contains(key) && event[key].is_number() && event[key].get<double>() >= 0.0;
  }
  void complain(const std::string& what) {
    problems_.push_back("event " + std::to_string(number_) + ": " + what);
  }

  void check_metadata(const nlohmann::json& event) {
    const std::string name = event.value("name", "");
    const nlohmann::json args = event.value("args", nlohmann::json::object());
    if (name == "process_name" || name == "thread_name" || name == "process_labels") {
      if (!args.contains("name") || !args["name"].is_string()) complain(name + " without a name");
    } else if (name == "process_sort_index" || name == "thread_sort_index") {
      if (!is_whole(args, "sort_index")) complain(name + " without an index");
    } else {
      complain("metadata " + name);
    }
  }

  void check_slice(const nlohmann::json& event) {
    if (!is_time(event, "dur")) return complain("no duration");
    auto& open = open_[{event["pid"].get<int>(), event["tid"].get<int>()}];
    const double start = event["ts"], end = start + event["dur"].get<double>();
    const double rounding = 1e-9 * end;  // of a sum of decimal fractions
    if (!open.empty() && start < open.back().first) return complain("before the one above");
    while (!open.empty() && open.back().second <= start + rounding) open.pop_back();
    if (!open.empty() && end > open.back().second + rounding)
      complain("overlaps the one above without nesting");
    open.emplace_back(start, end);
  }

  std::size_t number_ = 0;
  std::vector<std::string> problems_;
  // Slices of each thread that are not over yet.
  std::map<std::pair<int, int>, std::vector<std::pair<double, double>>> open_;
  std::map<std::string, int> flows_;
};

inline std::vector<std::string> trace_problems(const nlohmann::json& trace) {
  TraceRules rules;
  for (const nlohmann::json& event : trace.at("traceEvents")) rules.check(event);
  return rules.problems();
}

}  // namespace stepcast

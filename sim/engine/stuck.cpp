#include "sim/engine/stuck.hpp"

#include <fmt/core.h>

#include <vector>

namespace stepcast {

namespace {

constexpr int tasks_named = 5;
constexpr std::size_t streams_named = 4;  // of one task

class Report {
 public:
  Report(const TaskTable& tasks, std::span<const std::string> streams,
         std::span<const Interval> intervals)
      : tasks_(tasks), streams_(streams), intervals_(intervals) {}

  std::string text() const {
    std::vector<bool> blocked(streams_.size(), false);
    std::string stuck;
    std::size_t unfinished = 0;
    int named = 0;
    for (std::uint32_t task = 0; task < tasks_.size(); ++task) {
      if (ended(task)) continue;
      ++unfinished;
      bool next_in_line = tasks_.streams(task).empty();
      for (const std::uint32_t stream : tasks_.streams(task)) {
        next_in_line = next_in_line || !blocked[stream];
        blocked[stream] = true;
      }
      if (next_in_line && named++ < tasks_named) stuck += "; " + name(task) + reason(task);
    }
    return fmt::format("{} of {} tasks cannot run{}", unfinished, tasks_.size(), stuck);
  }

 private:
  bool ended(std::uint32_t task) const { return intervals_[task].end >= SimTime{}; }

  std::string name(std::uint32_t task) const {
    std::string text = fmt::format("task {}", task);
    const std::span<const std::uint32_t> streams = tasks_.streams(task);
    for (std::size_t s = 0; s < streams.size() && s < streams_named; ++s)
      text += fmt::format("{}'{}'", s == 0 ? " on " : " + ", streams_[streams[s]]);
    return streams.size() > streams_named ? text + " + ..." : text;
  }
  std::string reason(std::uint32_t task) const {
    for (const std::uint32_t before : tasks_.before(task))
      if (!ended(before)) return " waits for " + name(before);
    for (const auto& [later, before] : tasks_.late())
      if (later == task && !ended(before)) return " waits for " + name(before);
    return " is left no share of its resources";
  }

  const TaskTable& tasks_;
  std::span<const std::string> streams_;
  std::span<const Interval> intervals_;
};

}  // namespace

std::string describe_stuck(const TaskTable& tasks, std::span<const std::string> streams,
                           std::span<const Interval> intervals) {
  return Report(tasks, streams, intervals).text();
}

}  // namespace stepcast

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "sim/engine/engine.hpp"

namespace stepcast {

// All tasks of an engine, in flat arrays: what a task is, and who waits for whom. Tasks only;
// resources and streams are known here by their index.
class TaskTable {
 public:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  struct Resident {
    double held_share = 0.0;
    double speed_beside_compute = 1.0;
  };
  // The usage of a compute task includes its device, with amount 1.
  struct Row {
    Seconds latency;
    Seconds duration;
    std::uint32_t first_stream = 0, first_before = 0, first_usage = 0;
    std::uint32_t device = none;
    std::uint32_t resident = none;  // index into residents
  };
  // By task: the tasks that wait for it, as offsets (one more than tasks) into one array.
  struct Successors {
    std::vector<std::uint32_t> first;
    std::vector<std::uint32_t> tasks;
    [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t task) const {
      return {tasks.data() + first[task], tasks.data() + first[task + 1]};
    }
  };

  TaskTable() : rows_(1) {}
  void add_stream() { last_on_stream_.push_back(none); }
  void add_resource() { last_using_.push_back({none, 0}); }
  std::uint32_t add(const TaskView& task);
  void add_dependency(std::uint32_t task, std::uint32_t after);
  void reserve(std::size_t tasks);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(rows_.size() - 1); }
  [[nodiscard]] const Row& row(std::uint32_t task) const { return rows_[task]; }
  [[nodiscard]] const Resident& resident(const Row& row) const { return residents_[row.resident]; }
  [[nodiscard]] std::span<const std::uint32_t> streams(std::uint32_t task) const {
    return part(streams_, rows_[task].first_stream, rows_[task + 1].first_stream);
  }
  // Those that it waits for: given with the task, or just before it on a stream.
  [[nodiscard]] std::span<const std::uint32_t> before(std::uint32_t task) const {
    return part(before_, rows_[task].first_before, rows_[task + 1].first_before);
  }
  // Dependencies that came later: {task, after}.
  [[nodiscard]] std::span<const std::pair<std::uint32_t, std::uint32_t>> late() const {
    return late_;
  }
  // Where the usages of a task lie among the usages of all.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> usage_range(std::uint32_t task) const {
    return {rows_[task].first_usage, rows_[task + 1].first_usage};
  }
  [[nodiscard]] std::span<const Usage> usages() const { return usages_; }

  [[nodiscard]] Successors successors() const;
  // By task: how many times it appears in the lists of others.
  [[nodiscard]] std::vector<std::uint32_t> waits() const;

 private:
  static std::span<const std::uint32_t> part(const std::vector<std::uint32_t>& of,
                                             std::uint32_t begin, std::uint32_t end) {
    return {of.data() + begin, of.data() + end};
  }
  void add_usage(ResourceId resource, double amount);

  std::vector<Row> rows_;  // and one more that closes the last
  std::vector<std::uint32_t> streams_;
  std::vector<std::uint32_t> before_;
  std::vector<Usage> usages_;
  std::vector<Resident> residents_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> late_;
  std::vector<std::uint32_t> last_on_stream_;                        // task, by stream
  std::vector<std::pair<std::uint32_t, std::uint32_t>> last_using_;  // task and usage, by resource
};

}  // namespace stepcast

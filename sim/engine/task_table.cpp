#include "sim/engine/task_table.hpp"

#include <cmath>
#include <numeric>

#include "common/errors.hpp"

namespace stepcast {

// Usages of one resource within a task are added up.
void TaskTable::add_usage(ResourceId resource, double amount) {
  STEPCAST_CHECK(resource.index < last_using_.size());
  STEPCAST_CHECK(amount >= 0.0 && std::isfinite(amount));
  if (amount == 0.0) return;
  auto& [task, usage] = last_using_[resource.index];
  if (task == size()) {
    usages_[usage].amount += amount;
    return;
  }
  task = size();
  usage = static_cast<std::uint32_t>(usages_.size());
  usages_.push_back({resource, amount});
}

std::uint32_t TaskTable::add(const TaskView& task) {
  const std::uint32_t id = size();
  STEPCAST_CHECK(id < none - 1);
  static_cast<void>(stepcast::after(stepcast::after(SimTime{}, task.latency), task.duration));
  STEPCAST_CHECK(task.held_share >= 0.0 && task.held_share <= 1.0);
  STEPCAST_CHECK(task.speed_beside_compute > 0.0 && task.speed_beside_compute <= 1.0);
  STEPCAST_CHECK(task.device || task.held_share == 0.0);
  Row& row = rows_.back();
  row.latency = task.latency;
  row.duration = task.duration;
  for (const TaskId before : task.after) {
    STEPCAST_CHECK(before.index < id);
    before_.push_back(before.index);
  }
  for (const StreamId stream : task.streams) {
    STEPCAST_CHECK(stream.index < last_on_stream_.size());
    std::uint32_t& last = last_on_stream_[stream.index];
    STEPCAST_CHECK(last != id);  // the same stream twice
    if (last != none) before_.push_back(last);
    last = id;
    streams_.push_back(stream.index);
  }
  for (const Usage& usage : task.usage) add_usage(usage.resource, usage.amount);
  if (task.device) row.device = task.device->index;
  if (task.held_share > 0.0) {
    row.resident = static_cast<std::uint32_t>(residents_.size());
    residents_.push_back({task.held_share, task.speed_beside_compute});
  } else if (task.device) {
    add_usage(*task.device, 1.0);
  }
  Row next;
  next.first_stream = static_cast<std::uint32_t>(streams_.size());
  next.first_before = static_cast<std::uint32_t>(before_.size());
  next.first_usage = static_cast<std::uint32_t>(usages_.size());
  rows_.push_back(next);
  return id;
}

void TaskTable::add_dependency(std::uint32_t task, std::uint32_t after) {
  STEPCAST_CHECK(task < size() && after < size());
  late_.emplace_back(task, after);
}

void TaskTable::reserve(std::size_t tasks) {
  // Most tasks are on one stream, wait for two others and use one resource; more only costs growth.
  rows_.reserve(tasks + 1);
  streams_.reserve(tasks);
  before_.reserve(2 * tasks);
  usages_.reserve(tasks);
}

TaskTable::Successors TaskTable::successors() const {
  Successors result;
  result.first.assign(rows_.size(), 0);
  result.tasks.resize(before_.size() + late_.size());
  for (const std::uint32_t before : before_) ++result.first[before];
  for (const auto& [task, after] : late_) ++result.first[after];
  std::partial_sum(result.first.begin(), result.first.end(), result.first.begin());
  // Filled from the back, so that each list ends in order of task and the offsets at its start.
  for (std::size_t i = late_.size(); i-- > 0;)
    result.tasks[--result.first[late_[i].second]] = late_[i].first;
  for (std::uint32_t task = size(); task-- > 0;)
    for (const std::uint32_t before_it : before(task))
      result.tasks[--result.first[before_it]] = task;
  return result;
}

std::vector<std::uint32_t> TaskTable::waits() const {
  std::vector<std::uint32_t> result(size());
  for (std::uint32_t task = 0; task < size(); ++task)
    result[task] = static_cast<std::uint32_t>(before(task).size());
  for (const auto& [task, after] : late_) ++result[task];
  return result;
}

}  // namespace stepcast

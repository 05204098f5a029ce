#include "sim/engine/engine.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "common/errors.hpp"
#include "sim/engine/event_queue.hpp"
#include "sim/engine/sharing.hpp"
#include "sim/engine/stuck.hpp"
#include "sim/engine/task_table.hpp"

namespace stepcast {

struct Engine::State {
  std::vector<EngineResource> resources;
  std::vector<std::string> streams;
  TaskTable tasks;
};

namespace {

constexpr Interval not_ended{SimTime{-1}, SimTime{-1}};

// One run over a finished task table. An instant is worked off as a whole: everything that ends or
// can start, however long the chain of tasks without duration, and only then the new speeds.
class Run {
 public:
  Run(std::span<const EngineResource> resources, const TaskTable& tasks)
      : tasks_(tasks),
        successors_(tasks.successors()),
        waits_(tasks.waits()),
        intervals_(tasks.size(), not_ended),
        sharing_(resources, tasks, queue_) {}

  void simulate() {
    for (std::uint32_t task = 0; task < tasks_.size(); ++task)
      if (waits_[task] == 0) ready_.push_back(task);
    std::reverse(ready_.begin(), ready_.end());
    start_ready();
    sharing_.settle(now_);
    while (!queue_.empty()) {
      now_ = queue_.top().at;
      while (!queue_.empty() && queue_.top().at == now_) {
        happen(queue_.pop());
        start_ready();
      }
      sharing_.settle(now_);
    }
  }
  [[nodiscard]] bool complete() const { return ended_ == tasks_.size(); }
  [[nodiscard]] std::span<const Interval> intervals() const { return intervals_; }
  RunReport report() && {
    return RunReport{.end = now_,
                     .tasks = std::move(intervals_),
                     .resources = sharing_.report(now_),
                     .events = 2 * ended_ + sharing_.rate_changes()};
  }

 private:
  enum class Phase : std::uint8_t { latency, alone, shared };

  void start_ready() {
    while (!ready_.empty()) {
      const std::uint32_t task = ready_.back();
      ready_.pop_back();
      start(task);
    }
  }
  void start(std::uint32_t task) {
    const TaskTable::Row& row = tasks_.row(task);
    intervals_[task].start = now_;
    if (row.resident != TaskTable::none) sharing_.hold(row.device, tasks_.resident(row).held_share);
    const SimTime work = after(now_, row.latency);
    if (!shares(task)) {
      schedule(task, after(work, row.duration), Phase::alone);
    } else if (work > now_) {
      schedule(task, work, Phase::latency);
    } else {
      const std::uint32_t slot = take_slot();
      begin_sharing(slot, task);
    }
  }
  // Whether other tasks can slow it down, or it them. Work that rounds to no time is over at once.
  [[nodiscard]] bool shares(std::uint32_t task) const {
    const TaskTable::Row& row = tasks_.row(task);
    const auto [begin, end] = tasks_.usage_range(task);
    return (begin != end || row.device != TaskTable::none) && after(now_, row.duration) > now_;
  }
  void schedule(std::uint32_t task, SimTime at, Phase phase) {
    if (at == now_) return finish(task);
    const std::uint32_t slot = take_slot();
    phases_[slot] = phase;
    queue_.set({at, task, slot});
  }
  void begin_sharing(std::uint32_t slot, std::uint32_t task) {
    phases_[slot] = Phase::shared;
    sharing_.join(slot, task, now_);
  }
  void happen(const EventQueue::Event& event) {
    if (phases_[event.slot] == Phase::latency) return begin_sharing(event.slot, event.tie);
    if (phases_[event.slot] == Phase::shared) sharing_.leave(event.slot);
    free_slots_.push_back(event.slot);
    finish(event.tie);
  }
  void finish(std::uint32_t task) {
    const TaskTable::Row& row = tasks_.row(task);
    Interval& interval = intervals_[task];
    interval.end = now_;
    if (row.resident != TaskTable::none)
      sharing_.release(row.device, tasks_.resident(row).held_share,
                       to_seconds(SimTime{now_.ps - interval.start.ps}));
    ++ended_;
    for (const std::uint32_t next : successors_.of(task))
      if (--waits_[next] == 0) ready_.push_back(next);
  }
  std::uint32_t take_slot() {
    if (free_slots_.empty()) {
      phases_.push_back(Phase::alone);
      return static_cast<std::uint32_t>(phases_.size() - 1);
    }
    const std::uint32_t slot = free_slots_.back();
    free_slots_.pop_back();
    return slot;
  }

  const TaskTable& tasks_;
  const TaskTable::Successors successors_;
  std::vector<std::uint32_t> waits_;
  std::vector<Interval> intervals_;
  EventQueue queue_;
  Sharing sharing_;
  SimTime now_;
  std::vector<std::uint32_t> ready_;
  std::vector<Phase> phases_;  // by slot
  std::vector<std::uint32_t> free_slots_;
  std::uint64_t ended_ = 0;
};

}  // namespace

Engine::Engine() : state_(std::make_unique<State>()) {}
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

ResourceId Engine::add_resource(std::string name, double capacity) {
  STEPCAST_CHECK(capacity > 0.0 && std::isfinite(capacity));
  const ResourceId id{static_cast<std::uint32_t>(state_->resources.size())};
  state_->resources.push_back({std::move(name), capacity, EngineResource::Kind::shared});
  state_->tasks.add_resource();
  return id;
}

ResourceId Engine::add_device(std::string name) {
  const ResourceId id = add_resource(std::move(name), 1.0);
  state_->resources[id.index].kind = EngineResource::Kind::device;
  return id;
}

StreamId Engine::add_stream(std::string name) {
  const StreamId id{static_cast<std::uint32_t>(state_->streams.size())};
  state_->streams.push_back(std::move(name));
  state_->tasks.add_stream();
  return id;
}

TaskId Engine::add(const TaskView& task) {
  STEPCAST_CHECK(!task.device ||
                 state_->resources.at(task.device->index).kind == EngineResource::Kind::device);
  return TaskId{state_->tasks.add(task)};
}

TaskId Engine::add_task(const Task& task) {
  return add({.streams = task.streams,
              .after = task.after,
              .latency = task.latency,
              .duration = task.duration,
              .usage = task.usage,
              .device = task.device,
              .held_share = task.held_share,
              .speed_beside_compute = task.speed_beside_compute});
}

void Engine::add_dependency(TaskId task, TaskId after) {
  state_->tasks.add_dependency(task.index, after.index);
}

void Engine::reserve(std::size_t tasks) { state_->tasks.reserve(tasks); }

std::size_t Engine::task_count() const { return state_->tasks.size(); }

RunReport Engine::run() {
  Run run(state_->resources, state_->tasks);
  run.simulate();
  if (!run.complete())
    throw std::logic_error(describe_stuck(state_->tasks, state_->streams, run.intervals()));
  return std::move(run).report();
}

}  // namespace stepcast

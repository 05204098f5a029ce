#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/id.hpp"
#include "common/sim_time.hpp"
#include "common/units.hpp"

namespace stepcast {

using ResourceId = Id<struct ResourceTag>;
using StreamId = Id<struct StreamTag>;
using TaskId = Id<struct TaskTag>;

// What a running task takes of a resource when it runs at full speed, in the resource's own unit
// (bytes/s of a link, share of a device's SMs). At speed x it takes x times that.
struct Usage {
  ResourceId resource;
  double amount = 0.0;
};

// One operation. Alone it takes `latency + duration` exactly: `duration` is the calibrated time of
// the transfer or computation, and contention can only stretch it. The latency part uses nothing.
//
// Speed x of a task in its duration part is the max-min fair solution with 0 <= x <= cap and, for
// each resource, sum(amount * x) <= capacity (progressive filling over all running tasks). cap is
// 1, times `speed_beside_compute` for a resident task while a non-resident one runs on the same
// device.
//
// SMs are not shared max-min: a resident task (a communication kernel) holds `held_share` of its
// device from start to end, latency part included; the others on that device share what is left,
// max-min, each asking for 1 - so one compute task alone runs at 1 - (sum of held shares). If
// residents hold everything (together even more than 1), the others wait at speed 0.
struct Task {
  std::vector<StreamId> streams{};  // starts when first in line on all (several: a rendezvous)
  std::vector<TaskId> after{};      // and when all of these have ended
  Seconds latency{};
  Seconds duration{};
  std::vector<Usage> usage{};
  std::optional<ResourceId> device{};  // a resource made by add_device
  double held_share = 0.0;             // > 0: resident
  double speed_beside_compute = 1.0;   // of a resident task
};

// The same from the caller's own arrays, for those who build many tasks without an allocation each.
struct TaskView {
  std::span<const StreamId> streams{};
  std::span<const TaskId> after{};
  Seconds latency{};
  Seconds duration{};
  std::span<const Usage> usage{};
  std::optional<ResourceId> device{};
  double held_share = 0.0;
  double speed_beside_compute = 1.0;
};

struct Interval {
  SimTime start, end;
  friend bool operator==(const Interval&, const Interval&) = default;
};

// In parts of capacity. A device is used by what its residents hold and by the speeds of the
// others.
struct ResourceReport {
  double mean_utilisation = 0.0;  // over the whole run
  double peak_utilisation = 0.0;  // at any instant that lasts; up to 1e-9 above 1 by rounding
};

struct RunReport {
  SimTime end;
  std::vector<Interval> tasks;            // by TaskId
  std::vector<ResourceReport> resources;  // by ResourceId
  std::uint64_t events = 0;               // task starts and ends, and rate changes
};

// Fluid discrete-event engine. Integer picoseconds; ties break by task id; the same input gives the
// same bytes. Tasks on one stream run in the order in which they were added.
//
// An event costs O(log running tasks), plus a new sharing among the tasks that are connected to it
// through full resources; one that fits beside the others disturbs nobody. Adding and running a
// million tasks takes a fraction of a second and about 100 bytes each.
//
// The adding functions check their preconditions (STEPCAST_CHECK): ids that exist, amounts >= 0 (of
// one resource they add up), capacities > 0, shares and speed_beside_compute within 0 and 1. A cost
// that is no time throws std::domain_error. run() may be called again and says the same.
//
// run() throws std::logic_error naming the first stuck tasks if the graph has a cycle or a
// rendezvous whose parties never meet.
class Engine {
 public:
  Engine();
  ~Engine();
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;

  ResourceId add_resource(std::string name, double capacity);
  ResourceId add_device(std::string name);  // SMs of one device; capacity 1
  StreamId add_stream(std::string name);
  TaskId add_task(const Task& task);  // `after` may name earlier tasks only
  TaskId add(const TaskView& task);
  void add_dependency(TaskId task, TaskId after);  // any two tasks, before run()
  void reserve(std::size_t tasks);

  [[nodiscard]] std::size_t task_count() const;
  [[nodiscard]] RunReport run();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace stepcast

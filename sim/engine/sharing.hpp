#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/sim_time.hpp"
#include "sim/engine/engine.hpp"
#include "sim/engine/event_queue.hpp"
#include "sim/engine/max_min.hpp"
#include "sim/engine/task_table.hpp"

namespace stepcast {

// Something of which running tasks take a part; a device has capacity 1.
struct EngineResource {
  enum class Kind { shared, device };
  std::string name;
  double capacity = 0.0;
  Kind kind = Kind::shared;
};

// Speeds of the tasks that are in their duration part. The engine says at one instant who joins
// and leaves; settle() then finds the new speeds, once, and moves the end events of those whose
// speed changed. Only tasks that are connected to a change through full resources are looked at.
class Sharing {
 public:
  Sharing(std::span<const EngineResource> resources, const TaskTable& tasks, EventQueue& queue);

  // A resident task keeps its share of its device from its start to its end.
  void hold(std::uint32_t device, double share);
  void release(std::uint32_t device, double share, Seconds held_for);
  // The duration part begins; the slot names the task until it leaves.
  void join(std::uint32_t slot, std::uint32_t task, SimTime now);
  void leave(std::uint32_t slot);
  // Everything at this instant has been said: finds speeds and schedules ends.
  void settle(SimTime now);

  [[nodiscard]] std::uint64_t rate_changes() const { return rate_changes_; }
  [[nodiscard]] std::vector<ResourceReport> report(SimTime end) const;

 private:
  struct User {
    std::uint32_t slot = 0;
    std::uint32_t usage = 0;
  };
  struct Share {
    double capacity = 0.0;
    double free = 0.0;    // capacity that residents do not hold
    double demand = 0.0;  // of all users at their caps
    double load = 0.0;    // of all users at their speeds
    double peak = 0.0;
    double served = 0.0;  // integral of load of those that left
    std::uint32_t visit = 0;
    std::uint32_t local = 0;  // index in the component being solved
    bool over = false;        // demand exceeds what is free
    bool touched = false;
    std::vector<User> users;
  };
  struct Device {
    double held = 0.0;
    std::uint32_t holders = 0;
    std::uint32_t computing = 0;           // tasks that are not resident
    bool beside_compute = false;           // as the caps of residents have it
    std::vector<std::uint32_t> residents;  // slots
  };
  struct Running {
    std::uint32_t task = 0;
    std::uint32_t visit = 0;
    double cap = 1.0;
    double speed = 0.0;
    double remaining_s = 0.0;  // at full speed, as of `since`
    SimTime since;
    std::uint32_t place = 0;  // among the residents of its device
    bool fresh = true;        // no speed yet
  };

  void touch(std::uint32_t resource);
  void set_cap(Running& running, double cap);
  void settle_devices();
  void find_full();
  void collect_component(std::uint32_t slot);
  void share_component(SimTime now);
  [[nodiscard]] double speed_alone(std::uint32_t slot) const;
  void state_problem();
  void set_speed(std::uint32_t slot, double speed, SimTime now);

  const TaskTable& tasks_;
  EventQueue& queue_;
  std::span<const Usage> usages_;
  std::vector<std::uint32_t> place_;    // by usage: index among the users of its resource
  std::vector<Share> shares_;           // by resource
  std::vector<Device> devices_;         // by resource; unused for those that are no device
  std::vector<Running> running_;        // by slot
  std::vector<std::uint32_t> touched_;  // resources
  std::vector<std::uint32_t> seeds_;    // those of them that were or are full
  std::vector<std::uint32_t> recheck_;  // slots whose cap is new
  std::uint32_t visit_ = 0;
  std::uint64_t rate_changes_ = 0;

  std::vector<std::uint32_t> component_;  // slots
  std::vector<std::uint32_t> full_;       // resources of the component
  std::vector<double> caps_, capacities_;
  std::vector<std::uint32_t> first_;
  std::vector<MaxMinProblem::Usage> demands_;
  MaxMinSolver solver_;
};

}  // namespace stepcast

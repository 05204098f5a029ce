#include "sim/engine/sharing.hpp"

#include <algorithm>

namespace stepcast {

namespace {

// Sums of amounts may be off in their last bits; a resource counts as over its capacity only
// beyond this relative margin.
constexpr double rounding_margin = 1e-12;

}  // namespace

Sharing::Sharing(std::span<const EngineResource> resources, const TaskTable& tasks,
                 EventQueue& queue)
    : tasks_(tasks),
      queue_(queue),
      usages_(tasks.usages()),
      place_(usages_.size()),
      shares_(resources.size()),
      devices_(resources.size()) {
  for (std::size_t r = 0; r < resources.size(); ++r)
    shares_[r].capacity = shares_[r].free = resources[r].capacity;
}

void Sharing::touch(std::uint32_t resource) {
  if (shares_[resource].touched) return;
  shares_[resource].touched = true;
  touched_.push_back(resource);
}

void Sharing::hold(std::uint32_t device, double share) {
  Device& on = devices_[device];
  ++on.holders;
  on.held += share;
  shares_[device].load += share;
  touch(device);
}

void Sharing::release(std::uint32_t device, double share, Seconds held_for) {
  Device& on = devices_[device];
  on.held = --on.holders == 0 ? 0.0 : on.held - share;
  shares_[device].load -= share;
  shares_[device].served += share * held_for.value();
  touch(device);
}

void Sharing::join(std::uint32_t slot, std::uint32_t task, SimTime now) {
  if (slot >= running_.size()) running_.resize(slot + std::size_t{1});
  const TaskTable::Row& row = tasks_.row(task);
  Running& running = running_[slot];
  running.task = task;  // field by field: assigning a temporary stalls on its own stores
  running.cap = 1.0;
  running.speed = 0.0;
  running.remaining_s = row.duration.value();
  running.since = now;
  running.fresh = true;
  if (row.resident != TaskTable::none) {
    Device& device = devices_[row.device];
    running.place = static_cast<std::uint32_t>(device.residents.size());
    device.residents.push_back(slot);
    if (device.beside_compute) running.cap = tasks_.resident(row).speed_beside_compute;
  } else if (row.device != TaskTable::none) {
    ++devices_[row.device].computing;
  }
  const auto [begin, end] = tasks_.usage_range(task);
  for (std::uint32_t u = begin; u < end; ++u) {
    Share& share = shares_[usages_[u].resource.index];
    place_[u] = static_cast<std::uint32_t>(share.users.size());
    share.users.push_back({slot, u});
    share.demand += usages_[u].amount * running.cap;
    touch(usages_[u].resource.index);
  }
  recheck_.push_back(slot);
}

void Sharing::leave(std::uint32_t slot) {
  const Running& running = running_[slot];
  const TaskTable::Row& row = tasks_.row(running.task);
  if (row.resident != TaskTable::none) {
    std::vector<std::uint32_t>& residents = devices_[row.device].residents;
    running_[residents.back()].place = running.place;
    residents[running.place] = residents.back();
    residents.pop_back();
    touch(row.device);
  } else if (row.device != TaskTable::none) {
    --devices_[row.device].computing;
  }
  const auto [begin, end] = tasks_.usage_range(running.task);
  for (std::uint32_t u = begin; u < end; ++u) {
    Share& share = shares_[usages_[u].resource.index];
    const User moved = share.users.back();
    share.users[place_[u]] = moved;
    place_[moved.usage] = place_[u];
    share.users.pop_back();
    share.demand -= usages_[u].amount * running.cap;
    share.load -= usages_[u].amount * running.speed;
    share.served += usages_[u].amount * row.duration.value();
    touch(usages_[u].resource.index);
  }
}

void Sharing::set_cap(Running& running, double cap) {
  const auto [begin, end] = tasks_.usage_range(running.task);
  for (std::uint32_t u = begin; u < end; ++u) {
    shares_[usages_[u].resource.index].demand += usages_[u].amount * (cap - running.cap);
    touch(usages_[u].resource.index);
  }
  running.cap = cap;
}

// New caps of residents where compute began or ended, and what residents leave of each device.
void Sharing::settle_devices() {
  for (std::size_t t = 0; t < touched_.size(); ++t) {  // set_cap() may append
    const std::uint32_t r = touched_[t];
    Device& device = devices_[r];
    Share& share = shares_[r];
    share.free = std::max(0.0, share.capacity - device.held);
    if (share.users.empty()) {
      share.demand = 0.0;
      share.load = device.held;
    }
    const bool beside_compute = device.computing > 0;
    if (beside_compute == device.beside_compute) continue;
    device.beside_compute = beside_compute;
    for (const std::uint32_t slot : device.residents) {
      const double slowed = tasks_.resident(tasks_.row(running_[slot].task)).speed_beside_compute;
      set_cap(running_[slot], beside_compute ? slowed : 1.0);
      recheck_.push_back(slot);
    }
  }
}

void Sharing::find_full() {
  seeds_.clear();
  for (const std::uint32_t r : touched_) {
    Share& share = shares_[r];
    const bool was_over = share.over;
    share.over = share.demand > share.free * (1.0 + rounding_margin);
    if (was_over || share.over) seeds_.push_back(r);
  }
}

// All tasks that compete with this one, directly or through others.
void Sharing::collect_component(std::uint32_t slot) {
  component_.assign(1, slot);
  full_.clear();
  running_[slot].visit = visit_;
  for (std::size_t c = 0; c < component_.size(); ++c) {
    const auto [begin, end] = tasks_.usage_range(running_[component_[c]].task);
    for (std::uint32_t u = begin; u < end; ++u) {
      Share& share = shares_[usages_[u].resource.index];
      if (!share.over || share.visit == visit_) continue;
      share.visit = visit_;
      share.local = static_cast<std::uint32_t>(full_.size());
      full_.push_back(usages_[u].resource.index);
      for (const User& user : share.users) {
        if (running_[user.slot].visit == visit_) continue;
        running_[user.slot].visit = visit_;
        component_.push_back(user.slot);
      }
    }
  }
}

double Sharing::speed_alone(std::uint32_t slot) const {
  double speed = running_[slot].cap;
  const auto [begin, end] = tasks_.usage_range(running_[slot].task);
  for (std::uint32_t u = begin; u < end; ++u) {
    const Share& share = shares_[usages_[u].resource.index];
    if (share.over) speed = std::min(speed, share.free / usages_[u].amount);
  }
  return speed;
}

void Sharing::state_problem() {
  caps_.clear();
  capacities_.clear();
  demands_.clear();
  first_.assign(1, 0);
  for (const std::uint32_t r : full_) capacities_.push_back(shares_[r].free);
  for (const std::uint32_t slot : component_) {
    caps_.push_back(running_[slot].cap);
    const auto [begin, end] = tasks_.usage_range(running_[slot].task);
    for (std::uint32_t u = begin; u < end; ++u) {
      const Share& share = shares_[usages_[u].resource.index];
      if (share.over) demands_.push_back({share.local, usages_[u].amount});
    }
    first_.push_back(static_cast<std::uint32_t>(demands_.size()));
  }
}

void Sharing::share_component(SimTime now) {
  if (component_.size() == 1) {
    set_speed(component_[0], speed_alone(component_[0]), now);
    return;
  }
  state_problem();
  const std::span<const double> speeds = solver_.solve({caps_, capacities_, first_, demands_});
  for (std::size_t c = 0; c < component_.size(); ++c) set_speed(component_[c], speeds[c], now);
}

void Sharing::set_speed(std::uint32_t slot, double speed, SimTime now) {
  Running& running = running_[slot];
  if (!running.fresh) {
    if (speed == running.speed) return;
    ++rate_changes_;
    const Seconds since = to_seconds(SimTime{now.ps - running.since.ps});
    running.remaining_s = std::max(0.0, running.remaining_s - running.speed * since.value());
  }
  const auto [begin, end] = tasks_.usage_range(running.task);
  for (std::uint32_t u = begin; u < end; ++u) {
    shares_[usages_[u].resource.index].load += usages_[u].amount * (speed - running.speed);
    touch(usages_[u].resource.index);
  }
  running.speed = speed;
  running.since = now;
  running.fresh = false;
  if (speed > 0.0)
    queue_.set({after(now, Seconds{running.remaining_s / speed}), running.task, slot});
  else
    queue_.remove(slot);
}

void Sharing::settle(SimTime now) {
  settle_devices();
  find_full();
  ++visit_;
  for (const std::uint32_t r : seeds_) {
    for (const User& user : shares_[r].users) {
      if (running_[user.slot].visit == visit_) continue;
      collect_component(user.slot);
      share_component(now);
    }
  }
  for (const std::uint32_t slot : recheck_)
    if (running_[slot].visit != visit_) set_speed(slot, running_[slot].cap, now);
  recheck_.clear();
  for (const std::uint32_t r : touched_) {
    shares_[r].touched = false;
    shares_[r].peak = std::max(shares_[r].peak, shares_[r].load);
  }
  touched_.clear();
}

std::vector<ResourceReport> Sharing::report(SimTime end) const {
  std::vector<ResourceReport> reports(shares_.size());
  for (std::size_t r = 0; r < shares_.size(); ++r) {
    const Share& share = shares_[r];
    if (end.ps > 0)
      reports[r].mean_utilisation = share.served / (share.capacity * to_seconds(end).value());
    reports[r].peak_utilisation = share.peak / share.capacity;
  }
  return reports;
}

}  // namespace stepcast

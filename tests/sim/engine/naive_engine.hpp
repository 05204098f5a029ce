#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "sim/engine/engine.hpp"

namespace stepcast::testing_support {

struct Graph {
  struct Dependency {
    std::uint32_t task = 0, after = 0;
  };
  std::uint32_t streams = 0;
  std::vector<double> capacities;  // devices first
  std::uint32_t devices = 0;
  std::vector<Task> tasks;
  std::vector<Dependency> late;
};

// The engine's semantics as its header states them, once more and as plainly as possible: time in
// seconds, every speed found anew at every event by raising all speeds together.
class NaiveEngine {
 public:
  struct Span {
    double start = -1.0, end = -1.0;
    double work = 0.0;  // integral of speed
  };

  explicit NaiveEngine(const Graph& graph)
      : graph_(graph), spans_(graph.tasks.size()), speeds_(graph.tasks.size()) {}

  std::vector<Span> run() {
    for (;;) {
      while (start_or_end_some()) {
      }
      find_speeds();
      const double step = time_to_next();
      if (step == infinity) return spans_;
      for (std::size_t t = 0; t < spans_.size(); ++t) spans_[t].work += speeds_[t] * step;
      for (const double load : loads()) worst_load_ = std::max(worst_load_, load);
      now_ += step;
    }
  }
  [[nodiscard]] double worst_load() const { return worst_load_; }  // of capacity

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  static constexpr double instant = 1e-15;  // shorter is no time

  const Task& task(std::size_t t) const { return graph_.tasks[t]; }
  bool started(std::size_t t) const { return spans_[t].start >= 0.0; }
  bool ended(std::size_t t) const { return spans_[t].end >= 0.0; }
  bool running(std::size_t t) const { return started(t) && !ended(t); }
  bool working(std::size_t t) const {
    return running(t) && now_ >= spans_[t].start + task(t).latency.value() - instant;
  }
  bool resident(std::size_t t) const { return task(t).held_share > 0.0; }

  bool shares_a_stream(std::size_t a, std::size_t b) const {
    for (const StreamId stream : task(a).streams)
      if (std::ranges::count(task(b).streams, stream) > 0) return true;
    return false;
  }
  bool may_start(std::size_t t) const {
    for (std::size_t before = 0; before < t; ++before)
      if (!ended(before) && shares_a_stream(before, t)) return false;
    for (const TaskId after : task(t).after)
      if (!ended(after.index)) return false;
    return std::ranges::none_of(graph_.late, [&](const Graph::Dependency& dependency) {
      return dependency.task == t && !ended(dependency.after);
    });
  }
  bool start_or_end_some() {
    bool any = false;
    for (std::size_t t = 0; t < spans_.size(); ++t) {
      if (!started(t) && may_start(t)) {
        spans_[t].start = now_;
        any = true;
      }
      if (working(t) && spans_[t].work >= task(t).duration.value() - instant) {
        spans_[t].end = now_;
        any = true;
      }
    }
    return any;
  }

  double amount(std::size_t t, std::size_t resource) const {
    double sum = 0.0;
    for (const Usage& usage : task(t).usage)
      if (usage.resource.index == resource) sum += usage.amount;
    const bool computes_here = !resident(t) && task(t).device && task(t).device->index == resource;
    return sum + (computes_here ? 1.0 : 0.0);
  }
  double capacity(std::size_t resource) const {
    double free = graph_.capacities[resource];
    for (std::size_t t = 0; t < spans_.size(); ++t)
      if (running(t) && resident(t) && task(t).device->index == resource)
        free -= task(t).held_share;
    return std::max(free, 0.0);
  }
  double cap(std::size_t t) const {
    for (std::size_t other = 0; resident(t) && other < spans_.size(); ++other)
      if (working(other) && !resident(other) && task(other).device == task(t).device)
        return task(t).speed_beside_compute;
    return 1.0;
  }
  std::vector<double> loads() const {
    std::vector<double> result;
    for (std::size_t r = 0; r < graph_.capacities.size(); ++r) {
      double used = graph_.capacities[r] - capacity(r);
      for (std::size_t t = 0; t < spans_.size(); ++t) used += amount(t, r) * speeds_[t];
      result.push_back(used / graph_.capacities[r]);
    }
    return result;
  }

  // All rise together by the largest step that breaks nothing; who is then at a limit stops.
  void find_speeds() {
    std::vector<bool> rising(spans_.size());
    std::vector<double> spare(graph_.capacities.size());
    for (std::size_t r = 0; r < spare.size(); ++r) spare[r] = capacity(r);
    for (std::size_t t = 0; t < spans_.size(); ++t) {
      speeds_[t] = 0.0;
      rising[t] = working(t);
    }
    while (std::ranges::count(rising, true) > 0) {
      std::vector<double> weight(spare.size());
      double step = infinity;
      for (std::size_t t = 0; t < spans_.size(); ++t) {
        if (!rising[t]) continue;
        step = std::min(step, cap(t) - speeds_[t]);
        for (std::size_t r = 0; r < spare.size(); ++r) weight[r] += amount(t, r);
      }
      for (std::size_t r = 0; r < spare.size(); ++r)
        if (weight[r] > 0.0) step = std::min(step, spare[r] / weight[r]);
      for (std::size_t r = 0; r < spare.size(); ++r) spare[r] -= weight[r] * step;
      for (std::size_t t = 0; t < spans_.size(); ++t) {
        if (!rising[t]) continue;
        speeds_[t] += step;
        rising[t] = speeds_[t] < cap(t) - 1e-12;
        for (std::size_t r = 0; r < spare.size(); ++r)
          if (amount(t, r) > 0.0 && spare[r] < 1e-12) rising[t] = false;
      }
    }
  }
  double time_to_next() const {
    double next = infinity;
    for (std::size_t t = 0; t < spans_.size(); ++t) {
      if (!running(t)) continue;
      if (!working(t))
        next = std::min(next, spans_[t].start + task(t).latency.value() - now_);
      else if (speeds_[t] > 1e-12)
        next = std::min(next, (task(t).duration.value() - spans_[t].work) / speeds_[t]);
    }
    return next;
  }

  const Graph& graph_;
  std::vector<Span> spans_;
  std::vector<double> speeds_;
  double now_ = 0.0;
  double worst_load_ = 0.0;
};

}  // namespace stepcast::testing_support

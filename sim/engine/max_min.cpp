#include "sim/engine/max_min.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace stepcast {

void MaxMinSolver::load(const MaxMinProblem& problem) {
  const auto tasks = static_cast<std::uint32_t>(problem.caps.size());
  speeds_.assign(tasks, -1.0);
  resources_.assign(problem.capacities.size(), Resource{});
  for (const MaxMinProblem::Usage& usage : problem.usages) ++resources_[usage.resource].rising;
  std::uint32_t begin = 0;
  for (std::uint32_t r = 0; r < resources_.size(); ++r) {
    resources_[r].spare = problem.capacities[r];
    resources_[r].begin = resources_[r].end = begin;
    begin += resources_[r].rising;
  }
  users_.resize(problem.usages.size());
  for (std::uint32_t task = 0; task < tasks; ++task)
    for (std::uint32_t u = problem.first[task]; u < problem.first[task + 1]; ++u)
      users_[resources_[problem.usages[u].resource].end++] = {task, problem.usages[u].amount};

  levels_.clear();
  for (std::uint32_t r = 0; r < resources_.size(); ++r) {
    sum_weight(resources_[r]);
    if (resources_[r].rising > 0) levels_.emplace_back(level(r), r);
  }
  std::make_heap(levels_.begin(), levels_.end(), std::greater<>{});
}

void MaxMinSolver::sort_by_cap(std::span<const double> caps) {
  by_cap_.resize(caps.size());
  std::iota(by_cap_.begin(), by_cap_.end(), 0u);
  const auto lower_cap = [&](std::uint32_t a, std::uint32_t b) {
    return caps[a] != caps[b] ? caps[a] < caps[b] : a < b;
  };
  if (!std::is_sorted(by_cap_.begin(), by_cap_.end(), lower_cap))
    std::sort(by_cap_.begin(), by_cap_.end(), lower_cap);
}

void MaxMinSolver::sum_weight(Resource& resource) const {
  resource.weight = 0.0;
  for (std::uint32_t u = resource.begin; u < resource.end; ++u)
    if (speeds_[users_[u].task] < 0.0) resource.weight += users_[u].amount;
  resource.summed = resource.weight;
}

double MaxMinSolver::level(std::uint32_t resource) const {
  const Resource& of = resources_[resource];
  return std::max(of.spare, 0.0) / of.weight;
}

// The resource that fills first, left on top of the heap. Stopping a task never lowers the level
// of a resource, so an entry on top that is still true is the least of all.
bool MaxMinSolver::next_full(Level& full) {
  while (!levels_.empty()) {
    const auto [stored, resource] = levels_.front();
    const bool used = resources_[resource].rising > 0;
    full = {used ? level(resource) : stored, resource};
    if (used && full.first <= stored) return true;
    std::pop_heap(levels_.begin(), levels_.end(), std::greater<>{});
    levels_.pop_back();
    if (!used) continue;
    levels_.push_back(full);
    std::push_heap(levels_.begin(), levels_.end(), std::greater<>{});
  }
  return false;
}

void MaxMinSolver::stop(const MaxMinProblem& problem, std::uint32_t task, double speed) {
  speeds_[task] = speed;
  for (std::uint32_t u = problem.first[task]; u < problem.first[task + 1]; ++u) {
    Resource& resource = resources_[problem.usages[u].resource];
    resource.spare -= problem.usages[u].amount * speed;
    resource.weight -= problem.usages[u].amount;
    // Subtraction leaves the rounding of the amounts that are gone; sum again before it shows.
    if (--resource.rising > 0 && resource.weight < 0.5 * resource.summed) sum_weight(resource);
  }
}

void MaxMinSolver::fill(const MaxMinProblem& problem, const Level& full) {
  const Resource& resource = resources_[full.second];
  for (std::uint32_t u = resource.begin; u < resource.end; ++u)
    if (speeds_[users_[u].task] < 0.0) stop(problem, users_[u].task, full.first);
}

std::span<const double> MaxMinSolver::solve(const MaxMinProblem& problem) {
  load(problem);
  sort_by_cap(problem.caps);
  Level full;
  bool any_full = next_full(full);
  for (const std::uint32_t task : by_cap_) {
    const double cap = problem.caps[task];
    while (speeds_[task] < 0.0 && any_full && full.first < cap) {
      fill(problem, full);
      any_full = next_full(full);
    }
    if (speeds_[task] >= 0.0) continue;
    stop(problem, task, cap);
    any_full = next_full(full);
  }
  return speeds_;
}

}  // namespace stepcast

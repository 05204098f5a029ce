#include "sim/plan/incumbents.hpp"

#include <algorithm>
#include <limits>

namespace stepcast {
namespace {

constexpr double front_resolution = 0.01;  // of the GPU's memory
// assumption: nobody pays more than this many times the GPU-hours of the best for memory.
constexpr double dearest_on_front = 2.0;

bool no_worse(const FoundCandidate& a, const FoundCandidate& b) {
  return a.cost.time <= b.cost.time && a.cost.memory <= b.cost.memory && a.gpus <= b.gpus;
}

double gpu_seconds(const CandidateCost& cost, std::int64_t gpus) {
  return cost.time * static_cast<double>(gpus);
}

}  // namespace

double objective_value(Objective objective, const CandidateCost& cost, std::int64_t gpus) {
  switch (objective) {
    case Objective::time: return cost.time;
    case Objective::memory: return cost.memory;
    default: return gpu_seconds(cost, gpus);
  }
}

Incumbents::Incumbents(Objective objective, std::size_t keep, double memory_capacity)
    : objective_(objective),
      keep_(keep),
      resolution_(front_resolution * memory_capacity),
      threshold_(std::numeric_limits<double>::infinity()),
      least_gpu_seconds_(std::numeric_limits<double>::infinity()) {}

Incumbents::Degrees Incumbents::degrees_of(const Candidate& candidate) {
  return {candidate.base, candidate.tensor, candidate.pipeline, candidate.context, candidate.data};
}

bool Incumbents::may_be_best(const Candidate& candidate, const CandidateCost& least,
                             std::int64_t gpus) const {
  const double value = objective_value(objective_, least, gpus);
  if (value >= threshold_) return false;
  const auto own = best_.find(degrees_of(candidate));
  return own == best_.end() || value < own->second.value;
}

bool Incumbents::too_dear(const FoundCandidate& found) const {
  return gpu_seconds(found.cost, found.gpus) > dearest_on_front * least_gpu_seconds_;
}

bool Incumbents::may_be_on_front(const CandidateCost& least, std::int64_t gpus) const {
  if (too_dear({{}, least, gpus})) return false;
  return std::none_of(front_.begin(), front_.end(), [&](const FoundCandidate& point) {
    return point.cost.time <= least.time && point.cost.memory <= least.memory + resolution_ &&
           point.gpus <= gpus;
  });
}

void Incumbents::add(const FoundCandidate& found) {
  const double value = objective_value(objective_, found.cost, found.gpus);
  const auto [own, inserted] =
      best_.try_emplace(degrees_of(found.candidate), Entry{found, value, added_});
  if (!inserted && value < own->second.value) own->second = {found, value, added_};
  ++added_;
  lower_threshold();
  if (gpu_seconds(found.cost, found.gpus) < least_gpu_seconds_) {
    least_gpu_seconds_ = gpu_seconds(found.cost, found.gpus);
    std::erase_if(front_, [&](const FoundCandidate& point) { return too_dear(point); });
  }
  if (!may_be_on_front(found.cost, found.gpus)) return;
  std::erase_if(front_, [&](const FoundCandidate& point) { return no_worse(found, point); });
  const auto place = std::upper_bound(
      front_.begin(), front_.end(), found,
      [](const FoundCandidate& a, const FoundCandidate& b) { return a.cost.time < b.cost.time; });
  front_.insert(place, found);
}

void Incumbents::lower_threshold() {
  if (best_.size() < keep_) return;
  std::vector<double> values;
  for (const auto& [degrees, entry] : best_) values.push_back(entry.value);
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(keep_ - 1),
                   values.end());
  threshold_ = values[keep_ - 1];
}

std::vector<FoundCandidate> Incumbents::best() const {
  std::vector<Entry> entries;
  for (const auto& [degrees, entry] : best_) entries.push_back(entry);
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.value != b.value ? a.value < b.value : a.sequence < b.sequence;
  });
  if (entries.size() > keep_) entries.resize(keep_);
  std::vector<FoundCandidate> found;
  for (const Entry& entry : entries) found.push_back(entry.found);
  return found;
}

}  // namespace stepcast

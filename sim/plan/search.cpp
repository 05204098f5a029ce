#include "sim/plan/search.hpp"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "sim/cost/memoised_cost_model.hpp"
#include "sim/cost/profile_cost_model.hpp"
#include "sim/predict/predict.hpp"

namespace stepcast {
namespace {

constexpr std::size_t round_size = 32;  // of units
// Combinations of degrees that are predicted in full beyond those asked for: the replay orders
// candidates within a few percent.
constexpr std::size_t predicted_beyond = 2;
constexpr std::size_t most_front_points = 10;

// One thread's tools.
struct Worker {
  Worker(const SearchRequest& request, const Profile& profile, const ProfileCostModel& table)
      : costs(table), model(request, profile, costs) {}
  MemoisedCostModel costs;
  CandidateModel model;
};

class UnitSearch {
 public:
  UnitSearch(const SearchRequest& request, const SearchSpace& space, const SearchUnit& unit,
             CandidateModel& model, Incumbents incumbents, double capacity)
      : request_(request),
        space_(space),
        unit_(unit),
        model_(model),
        incumbents_(std::move(incumbents)),
        capacity_(capacity),
        gpus_(unit.tensor * unit.pipeline * unit.context * unit.data) {}

  UnitResult run(std::size_t index);

 private:
  void consider(const Candidate& variant);
  [[nodiscard]] bool hopeless(const Candidate& variant, const CandidateCost& least) const {
    return request_.prune && !incumbents_.may_be_best(variant, least, gpus_) &&
           !incumbents_.may_be_on_front(least, gpus_);
  }

  const SearchRequest& request_;
  const SearchSpace& space_;
  const SearchUnit& unit_;
  CandidateModel& model_;
  Incumbents incumbents_;
  double capacity_;
  std::int64_t gpus_;
  UnitResult result_;
};

void UnitSearch::consider(const Candidate& variant) {
  ++result_.counts.candidates;
  CandidateCost least;
  least.memory = model_.least_memory(variant);
  if (request_.prune && least.memory > capacity_) {
    ++result_.counts.pruned_memory;
    return;
  }
  least.time = model_.least_time(variant);
  if (hopeless(variant, least)) {
    ++result_.counts.pruned_time;
    return;
  }
  least.memory = model_.exact_memory(variant);
  if (least.memory > capacity_) {
    ++result_.counts.pruned_memory;
    return;
  }
  if (hopeless(variant, least)) {
    ++result_.counts.pruned_time;
    return;
  }
  ++result_.counts.simulated;
  const FoundCandidate found{variant, {model_.replayed_time(variant), least.memory}, gpus_};
  if (incumbents_.may_be_best(variant, found.cost, gpus_) ||
      incumbents_.may_be_on_front(found.cost, gpus_)) {
    incumbents_.add(found);
    result_.kept.push_back(found);
  }
}

UnitResult UnitSearch::run(std::size_t index) {
  result_.unit = index;
  model_.open_unit(unit_);
  const std::vector<Candidate> families = space_.families(unit_, result_.counts.invalid);
  result_.counts.candidates += result_.counts.invalid;
  for (const Candidate& family : families) {
    model_.open_family(family);
    for (const Candidate& variant : space_.recompute_variants(family, model_.largest_chunk()))
      consider(variant);
  }
  return std::move(result_);
}

// Units whose replicas hold about as many GPUs as the model's states need come first: they are
// likely to be good, and what is found early prunes the rest.
std::vector<std::size_t> promising_first(const SearchRequest& request, const SearchSpace& space,
                                         double capacity) {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < space.units().size(); ++i) {
    const SearchUnit& unit = space.units()[i];
    Run run = request.bases[unit.base];
    run.parallel = {};
    const auto parameters =
        static_cast<double>(stage_parameters(run, lay_out_stages(run).stages.front()).total());
    constexpr double bytes_per_parameter = 18.0;  // SEMANTICS 5.2: bf16 with fp32 gradients
    const double needed = bytes_per_parameter * parameters / capacity;
    const auto held = static_cast<double>(unit.tensor * unit.pipeline * unit.context);
    const double gpus = held * static_cast<double>(unit.data);
    order.emplace_back(std::abs(std::log2(held / needed)) - 4.0 * std::log2(gpus), i);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::size_t> indices;
  for (const auto& [distance, index] : order) indices.push_back(index);
  return indices;
}

std::vector<UnitResult> search_round(const std::vector<std::size_t>& units,
                                     const SearchHooks& hooks,
                                     const std::function<UnitResult(std::size_t)>& search_unit) {
  std::vector<UnitResult> results(units.size());
  tbb::parallel_for(std::size_t{0}, units.size(), [&](std::size_t i) {
    const UnitResult* known = hooks.known(units[i]);
    results[i] = known ? *known : search_unit(units[i]);
  });
  return results;
}

// Every n-th, first and last included.
std::vector<FoundCandidate> thinned(const std::vector<FoundCandidate>& all, std::size_t most) {
  if (all.size() <= most) return all;
  std::vector<FoundCandidate> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(all[i * (all.size() - 1) / (most - 1)]);
  return some;
}

// Predictions of both lists, each candidate once; what does not fit after all is left out.
void predict_all(const SearchRequest& request, const Profile& profile,
                 const std::vector<FoundCandidate>& best, const std::vector<FoundCandidate>& front,
                 SearchResult& result) {
  std::vector<RankedRun> runs;
  std::vector<Candidate> candidates;
  const auto index_of = [&](const FoundCandidate& found) {
    const auto known = std::find(candidates.begin(), candidates.end(), found.candidate);
    if (known != candidates.end()) return static_cast<std::size_t>(known - candidates.begin());
    candidates.push_back(found.candidate);
    runs.push_back({run_of(found.candidate, request.bases[found.candidate.base]), {}});
    return candidates.size() - 1;
  };
  std::vector<std::size_t> of_best, of_front;
  for (const FoundCandidate& found : best) of_best.push_back(index_of(found));
  for (const FoundCandidate& found : front) of_front.push_back(index_of(found));
  tbb::parallel_for(std::size_t{0}, runs.size(), [&](std::size_t i) {
    runs[i].prediction =
        predict(runs[i].run, profile, KeepTrace::no, SimulationDetail::actions).prediction;
  });
  const auto take = [&](const std::vector<std::size_t>& indices, std::vector<RankedRun>& into) {
    for (const std::size_t i : indices)
      if (runs[i].prediction.verdict != MemoryVerdict::out_of_memory) into.push_back(runs[i]);
  };
  take(of_best, result.best);
  take(of_front, result.pareto);
}

CandidateCost cost_of(const Prediction& prediction) {
  CandidateCost cost{prediction.step_p50.value(), 0.0};
  for (const StageMemory& stage : prediction.memory)
    cost.memory = std::max(cost.memory, (stage.peak_allocated + stage.overhead).value());
  return cost;
}

void rank(std::vector<RankedRun>& runs, Objective objective) {
  const auto value = [&](const RankedRun& one) {
    return objective_value(objective, cost_of(one.prediction), one.prediction.gpus);
  };
  std::stable_sort(runs.begin(), runs.end(),
                   [&](const RankedRun& a, const RankedRun& b) { return value(a) < value(b); });
}

// Drops what another one beats in time, memory and GPUs alike.
void keep_front(std::vector<RankedRun>& runs) {
  const auto beats = [](const RankedRun& a, const RankedRun& b) {
    const CandidateCost x = cost_of(a.prediction), y = cost_of(b.prediction);
    return x.time <= y.time && x.memory <= y.memory && a.prediction.gpus <= b.prediction.gpus &&
           (x.time < y.time || x.memory < y.memory || a.prediction.gpus < b.prediction.gpus);
  };
  std::vector<RankedRun> front;
  for (const RankedRun& one : runs)
    if (std::none_of(runs.begin(), runs.end(), [&](const RankedRun& a) { return beats(a, one); }))
      front.push_back(one);
  runs = std::move(front);
}

}  // namespace

SearchCounts& SearchCounts::operator+=(const SearchCounts& other) {
  candidates += other.candidates;
  invalid += other.invalid;
  pruned_memory += other.pruned_memory;
  pruned_time += other.pruned_time;
  simulated += other.simulated;
  return *this;
}

SearchResult search(const SearchRequest& request, const Profile& profile,
                    const SearchHooks& hooks) {
  const SearchSpace space(request);
  const double memory = request.bases.front().cluster.server.gpu_memory.value();
  const double capacity = memory * (1.0 - request.limits.memory_margin);
  const std::size_t keep = request.top + predicted_beyond;
  Incumbents incumbents(request.objective, keep, memory);
  const ProfileCostModel table(profile, {.sustained = true});
  tbb::enumerable_thread_specific<std::unique_ptr<Worker>> workers;
  const auto search_unit = [&](std::size_t index) {
    std::unique_ptr<Worker>& worker = workers.local();
    if (!worker) worker = std::make_unique<Worker>(request, profile, table);
    return UnitSearch(request, space, space.units()[index], worker->model, incumbents, capacity)
        .run(index);
  };
  SearchResult result;
  result.counts.candidates = result.counts.invalid = space.invalid_units();
  const std::vector<std::size_t> order = promising_first(request, space, capacity);
  for (std::size_t begin = 0; begin < order.size(); begin += round_size) {
    std::vector<std::size_t> own;
    const std::size_t end = std::min(begin + round_size, order.size());
    for (std::size_t i = begin; i < end; ++i)
      if (i % hooks.processes == hooks.process) own.push_back(order[i]);
    std::vector<UnitResult> round = hooks.exchange(search_round(own, hooks, search_unit));
    std::sort(round.begin(), round.end(),
              [](const UnitResult& a, const UnitResult& b) { return a.unit < b.unit; });
    for (const UnitResult& unit : round) {
      result.counts += unit.counts;
      for (const FoundCandidate& found : unit.kept) incumbents.add(found);
    }
    hooks.progress(end, order.size());
  }
  if (result.counts.candidates == result.counts.invalid) result.problems = space.why_none();
  predict_all(request, profile, incumbents.best(), thinned(incumbents.front(), most_front_points),
              result);
  rank(result.best, request.objective);
  if (result.best.size() > request.top)
    result.best.erase(result.best.begin() + static_cast<std::ptrdiff_t>(request.top),
                      result.best.end());
  keep_front(result.pareto);
  rank(result.pareto, Objective::time);
  return result;
}

}  // namespace stepcast

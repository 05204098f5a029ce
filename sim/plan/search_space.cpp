#include "sim/plan/search_space.hpp"

#include <algorithm>

#include "sim/parallel/rules.hpp"
#include "sim/parallel/rules_detail.hpp"
#include "sim/parallel/scope.hpp"

namespace stepcast {
namespace {

using detail::divisors;

bool within(std::int64_t value, std::int64_t limit) { return limit == 0 || value <= limit; }

Candidate with_degrees(const SearchUnit& unit) {
  Candidate candidate;
  candidate.base = unit.base;
  candidate.tensor = unit.tensor;
  candidate.pipeline = unit.pipeline;
  candidate.context = unit.context;
  candidate.data = unit.data;
  candidate.order = unit.order;
  candidate.context_kind = unit.context_kind;
  return candidate;
}

bool breaks_a_rule_of_degrees(const Run& run) {
  detail::Findings findings;
  detail::check_world(run, findings);
  detail::check_tensor(run, findings);
  detail::check_context(run, findings);
  detail::check_experts(run, findings);
  return findings.size() > 0;
}

bool executable(const Run& run) { return check_scope(run).empty(); }

}  // namespace

SearchSpace::SearchSpace(const SearchRequest& request) : request_(request) {
  for (std::size_t base = 0; base < request.bases.size(); ++base) add_units(base);
}

bool SearchSpace::pinned(const char* member) const { return request_.pinned.contains(member); }

// Values of one knob: the run's own where pinned.
template <class Value>
static std::vector<Value> choices(bool pinned, Value own, std::vector<Value> all) {
  if (pinned) return {own};
  return all;
}

void SearchSpace::add_units(std::size_t base) {
  const Run& run = request_.bases[base];
  const ParallelConfig& own = run.parallel;
  const SearchLimits& limits = request_.limits;
  const std::int64_t gpus = static_cast<std::int64_t>(run.cluster.topology.gpu_count());
  const auto degrees = [&](const char* member, std::int64_t mine, std::int64_t rest,
                           std::int64_t limit) {
    std::vector<std::int64_t> values = divisors(rest);
    std::erase_if(
        values, [&](std::int64_t i) { return (pinned(member) && i != mine) || !within(i, limit); });
    return values;
  };
  const std::vector<RankOrder> orders =
      choices(pinned("order") || run.framework != Framework::megatron, RankOrder::as_given,
              {RankOrder::data_inside, RankOrder::pipeline_inside});
  const std::vector<ContextKind> kinds = choices(pinned("context_kind"), own.context_kind,
                                                 {ContextKind::ring, ContextKind::all_gather,
                                                  ContextKind::ulysses, ContextKind::hierarchical});
  Run probe = run;
  for (const std::int64_t t : degrees("tensor", own.tensor, gpus, limits.tensor))
    for (const std::int64_t p : degrees("pipeline", own.pipeline, gpus / t, limits.pipeline))
      for (const std::int64_t c : degrees("context", own.context, gpus / t / p, limits.context)) {
        const std::int64_t d = gpus / t / p / c;
        if (!within(d, limits.data) || (pinned("data") && d != own.data)) continue;
        for (const RankOrder order : orders)
          for (const ContextKind kind : kinds) {
            const SearchUnit unit{base, t, p, c, d, order, kind};
            apply(with_degrees(unit), run, probe);
            if ((order == RankOrder::pipeline_inside && (p == 1 || d == 1)) ||
                (kind != kinds.front() && c == 1) || !executable(probe))
              continue;  // the same as another, or not simulated
            if (breaks_a_rule_of_degrees(probe))
              ++invalid_units_;
            else
              units_.push_back(unit);
          }
      }
}

std::vector<std::int64_t> SearchSpace::micro_batches(const SearchUnit& unit) const {
  const TrainingConfig& training = request_.bases[unit.base].training;
  if (pinned("micro_batch")) return {training.micro_batch};
  if (training.global_batch % unit.data != 0) return {};
  std::vector<std::int64_t> values = divisors(training.global_batch / unit.data);
  std::erase_if(values, [&](std::int64_t b) { return !within(b, request_.limits.micro_batch); });
  return values;
}

// Schedules with their virtual stages and ways to split the layers.
std::vector<Candidate> SearchSpace::schedules(const SearchUnit& unit) const {
  const Run& run = request_.bases[unit.base];
  const ParallelConfig& own = run.parallel;
  std::vector<ScheduleKind> kinds{ScheduleKind::one_f_one_b};
  if (unit.pipeline > 1) {
    kinds.push_back(ScheduleKind::gpipe);
    kinds.push_back(ScheduleKind::interleaved);
  }
  std::vector<StageSplit> splits{StageSplit::even};
  if (unit.pipeline > 1 && run.framework == Framework::megatron) {
    splits.insert(splits.end(), {StageSplit::count_ends, StageSplit::count_loss});
    if (unit.pipeline > 2) splits.push_back(StageSplit::shorter_ends);
  }
  if (run.framework == Framework::torchtitan) splits = {StageSplit::as_given};
  std::vector<Candidate> found;
  for (const ScheduleKind kind : choices(pinned("schedule"), own.schedule, kinds))
    for (std::int64_t v = 1; v <= run.model.layers + 2; ++v) {
      const bool several = kind == ScheduleKind::interleaved;
      if (pinned("virtual_stages") ? v != own.virtual_stages : several != (v > 1)) continue;
      if (!within(v, request_.limits.virtual_stages) || v * unit.pipeline > run.model.layers + 2)
        continue;
      for (const StageSplit split : choices(pinned("stage_layers"), StageSplit::as_given, splits)) {
        Candidate candidate = with_degrees(unit);
        candidate.schedule = kind;
        candidate.virtual_stages = v;
        candidate.split = split;
        found.push_back(candidate);
      }
    }
  return found;
}

std::vector<Candidate> SearchSpace::families(const SearchUnit& unit, std::int64_t& invalid) const {
  const Run& base = request_.bases[unit.base];
  const ParallelConfig& own = base.parallel;
  const std::vector<bool> sequence_parallel =
      choices<bool>(pinned("sequence_parallel"), own.sequence_parallel,
                    unit.tensor > 1 ? std::vector<bool>{true, false} : std::vector<bool>{false});
  const std::vector<Sharding> shardings =
      choices(pinned("sharding"), own.sharding,
              unit.data * unit.context > 1 ? std::vector{Sharding::optimizer, Sharding::none}
                                           : std::vector{Sharding::none});
  std::vector<Candidate> found;
  Run probe = base;
  const auto valid = [&](const Candidate& candidate) {
    apply(candidate, base, probe);
    const bool fine = check_rules(probe).empty() && executable(probe) &&
                      engineering_complexity(probe) <= request_.limits.complexity.value_or(1000);
    invalid += fine ? 0 : 1;
    return fine;
  };
  const std::vector<std::int64_t> batches = micro_batches(unit);
  for (Candidate candidate : schedules(unit)) {
    apply(candidate, base, probe);
    // A split that comes to the even one is not another candidate.
    if (candidate.split == StageSplit::shorter_ends && !probe.parallel.stage_layers.first) continue;
    detail::Findings layers;
    detail::check_layers(probe, layers);
    if (layers.size() > 0) {
      ++invalid;
      continue;
    }
    for (const std::int64_t batch : batches) {
      candidate.micro_batch = batch;
      candidate.sequence_parallel = false;
      candidate.sharding = shardings.front();
      if (!valid(candidate)) continue;
      for (const bool parallel : sequence_parallel)
        for (const Sharding sharding : shardings) {
          candidate.sequence_parallel = parallel && unit.tensor > 1;
          candidate.sharding = sharding;
          if (valid(candidate)) found.push_back(candidate);
        }
    }
  }
  return found;
}

std::vector<Candidate> SearchSpace::recompute_variants(const Candidate& family,
                                                       std::int64_t largest_chunk) const {
  const TrainingConfig& own = request_.bases[family.base].training;
  std::vector<Candidate> variants;
  const auto add = [&](RecomputeKind kind, std::int64_t layers) {
    Candidate variant = family;
    variant.recompute = kind;
    variant.recompute_layers = layers;
    variants.push_back(variant);
  };
  if (pinned("recompute")) {
    add(own.recompute.kind, own.recompute.layers.value_or(0));
    return variants;
  }
  add(RecomputeKind::none, 0);
  // Flash attention keeps no scores that a selective recompute could drop.
  if (own.attention == AttentionKind::unfused) add(RecomputeKind::selective, 0);
  for (std::int64_t layers = 1; layers <= largest_chunk; ++layers) add(RecomputeKind::full, layers);
  return variants;
}

std::vector<Problem> SearchSpace::why_none() const {
  const Run& base = request_.bases.front();
  const ParallelConfig& own = base.parallel;
  const auto given = [&](const char* member, auto mine, auto otherwise) {
    return pinned(member) ? mine : otherwise;
  };
  Run run = base;
  ParallelConfig& parallel = run.parallel;
  parallel = {};
  parallel.virtual_stages = given("virtual_stages", own.virtual_stages, std::int64_t{1});
  // Virtual stages go with a pipeline that interleaves.
  const bool several = parallel.virtual_stages > 1;
  parallel.tensor = given("tensor", own.tensor, std::int64_t{1});
  parallel.pipeline = given("pipeline", own.pipeline, std::int64_t{several ? 2 : 1});
  parallel.context = given("context", own.context, std::int64_t{1});
  const std::int64_t rest = static_cast<std::int64_t>(run.cluster.topology.gpu_count()) /
                            (parallel.tensor * parallel.pipeline * parallel.context);
  parallel.data = given("data", own.data, std::max<std::int64_t>(1, rest));
  parallel.schedule = given("schedule", own.schedule,
                            several ? ScheduleKind::interleaved : ScheduleKind::one_f_one_b);
  parallel.sharding = given("sharding", own.sharding, parallel.sharding);
  parallel.context_kind = given("context_kind", own.context_kind, parallel.context_kind);
  parallel.sequence_parallel = given("sequence_parallel", own.sequence_parallel, false);
  parallel.stage_layers = given("stage_layers", own.stage_layers, parallel.stage_layers);
  parallel.order = given("order", own.order, parallel.order);
  run.training.micro_batch = given("micro_batch", base.training.micro_batch, std::int64_t{1});
  run.training.recompute = given("recompute", base.training.recompute, Recompute{});
  run.overlap = {false, false, false, several};
  std::vector<Problem> problems = check_rules(run);
  for (Problem& problem : check_scope(run)) problems.push_back(std::move(problem));
  return problems;
}

}  // namespace stepcast

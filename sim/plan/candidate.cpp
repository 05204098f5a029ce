#include "sim/plan/candidate.hpp"

namespace stepcast {
namespace {

// Equal layers in the middle, the rest shared by the first and last stage, so that these have room
// for the embedding and the head. Leaves the layers even where they cannot be divided so.
StageLayers shorter_ends(const Run& run) {
  const std::int64_t p = run.parallel.pipeline, v = run.parallel.virtual_stages;
  StageLayers layers;
  if (p < 3) return layers;
  const std::int64_t middle = (run.model.layers + p * v - 1) / (p * v) * v;
  const std::int64_t left = run.model.layers - middle * (p - 2);
  const std::int64_t last = left / 2 / v * v;
  if (last <= 0 || (last == middle && left - last == middle)) return layers;
  layers.first = left - last;
  layers.last = last;
  return layers;
}

StageLayers stage_layers(StageSplit split, const Run& base, const Run& run) {
  StageLayers layers;
  switch (split) {
    case StageSplit::as_given: return base.parallel.stage_layers;
    case StageSplit::even: break;
    case StageSplit::count_ends: layers.account_for_embedding = true; [[fallthrough]];
    case StageSplit::count_loss: layers.account_for_loss = true; break;
    case StageSplit::shorter_ends: return shorter_ends(run);
  }
  return layers;
}

std::string order_text(RankOrder order, const Run& base) {
  switch (order) {
    case RankOrder::as_given: break;
    case RankOrder::data_inside: return "tp-cp-ep-dp-pp";
    case RankOrder::pipeline_inside: return "tp-cp-ep-pp-dp";
  }
  return base.parallel.order;
}

Recompute recompute_of(const Candidate& candidate, const Run& base) {
  Recompute recompute{candidate.recompute, {}, {}};
  if (candidate.recompute == RecomputeKind::full && candidate.recompute_layers > 0)
    recompute.layers = candidate.recompute_layers;
  if (candidate.recompute == RecomputeKind::selective) {
    recompute.modules = {"core_attn"};
    if (base.training.recompute.kind == RecomputeKind::selective)
      recompute.modules = base.training.recompute.modules;
  }
  return recompute;
}

}  // namespace

void apply(const Candidate& candidate, const Run& base, Run& run) {
  ParallelConfig& parallel = run.parallel;
  parallel.tensor = candidate.tensor;
  parallel.pipeline = candidate.pipeline;
  parallel.context = candidate.context;
  parallel.data = candidate.data;
  parallel.virtual_stages = candidate.virtual_stages;
  parallel.microbatch_group = 0;
  parallel.sequence_parallel = candidate.sequence_parallel;
  parallel.schedule = candidate.schedule;
  parallel.context_kind = candidate.context_kind;
  parallel.sharding = candidate.sharding;
  parallel.order = order_text(candidate.order, base);
  run.training.micro_batch = candidate.micro_batch;
  run.training.recompute = recompute_of(candidate, base);
  parallel.stage_layers = stage_layers(candidate.split, base, run);
  run.overlap.pipeline = candidate.schedule == ScheduleKind::interleaved && base.overlap.pipeline;
  run.overlap.param_gather = base.overlap.param_gather && (candidate.sharding != Sharding::none ||
                                                           run.framework == Framework::torchtitan);
  run.overlap.tensor = base.overlap.tensor && candidate.sequence_parallel;
}

Run run_of(const Candidate& candidate, const Run& base) {
  Run run = base;
  apply(candidate, base, run);
  return run;
}

int engineering_complexity(const Run& run) {
  const ParallelConfig& parallel = run.parallel;
  int score = 0;
  for (const std::int64_t degree :
       {parallel.tensor, parallel.pipeline, parallel.context, parallel.data, parallel.expert})
    score += degree > 1 ? 1 : 0;
  const StageLayers& layers = parallel.stage_layers;
  const bool uneven = !layers.every.empty() || layers.first || layers.last ||
                      layers.account_for_embedding || layers.account_for_loss;
  const bool plain_schedule =
      parallel.schedule == ScheduleKind::gpipe || parallel.schedule == ScheduleKind::one_f_one_b;
  score += plain_schedule ? 0 : 1;
  score += uneven && parallel.pipeline > 1 ? 1 : 0;
  score += run.training.precision == DataType::fp8 ? 1 : 0;
  return score;
}

}  // namespace stepcast

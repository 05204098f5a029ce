#include "sim/plan/candidate_model.hpp"

#include <algorithm>

#include "sim/memory/memory.hpp"
#include "sim/memory/static_memory.hpp"

namespace stepcast {
namespace {

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

bool same_shape(const ScheduleShape& a, const ScheduleShape& b) {
  return a.kind == b.kind && a.stages == b.stages && a.virtual_stages == b.virtual_stages &&
         a.micro_batches == b.micro_batches && a.microbatch_group == b.microbatch_group;
}

// Micro-batches after which a schedule repeats itself as far as memory goes: its warm-up, and a
// turn of what follows.
std::int64_t enough_micro_batches(const Run& run) {
  const std::int64_t all = run.micro_batches(), group = run.parallel.group_of_micro_batches();
  const bool several = run.parallel.schedule == ScheduleKind::interleaved;
  if (run.parallel.schedule == ScheduleKind::gpipe || (several && all % group != 0)) return all;
  return std::min(all, several ? 3 * group : run.parallel.pipeline + 2);
}

}  // namespace

CandidateModel::CandidateModel(const SearchRequest& request, const Profile& profile,
                               const CostModel& costs)
    : request_(request),
      profile_(profile),
      costs_(costs),
      layer_times_(profile, costs),
      run_(request.bases.front()) {}

void CandidateModel::open_unit(const SearchUnit& unit) {
  base_ = &request_.bases[unit.base];
  run_ = *base_;
  unit_costs_.reset();
}

void CandidateModel::open_family(const Candidate& family) {
  select(family);
  layout_ = lay_out_stages(run_);
  chunks_.clear();
  parameters_.clear();
  largest_chunk_ = 0;
  for (const std::vector<Chunk>& stage : layout_.stages) {
    parameters_.push_back(stage_parameters(run_, stage).total());
    for (const Chunk& chunk : stage) {
      chunks_.push_back({chunk.layers, chunk.embedding, chunk.head});
      largest_chunk_ = std::max(largest_chunk_, chunk.layers);
    }
  }
  always_alive_.assign(layout_.stages.size(), -1.0);
}

void CandidateModel::select(const Candidate& variant) {
  variant_ = variant;
  apply(variant, *base_, run_);
}

std::int64_t CandidateModel::recomputed(const ChunkSize& chunk) const {
  if (variant_.recompute != RecomputeKind::full) return 0;
  if (variant_.recompute_layers == 0) return chunk.layers;
  return std::min(chunk.layers, variant_.recompute_layers);
}

double CandidateModel::forward(const LayerTimes& times, const ChunkSize& chunk) const {
  return times.forward.of(chunk.layers, 0, chunk.embedding, chunk.head);
}

double CandidateModel::backward(const LayerTimes& times, const ChunkSize& chunk) const {
  return times.backward.of(chunk.layers, recomputed(chunk), chunk.embedding, chunk.head);
}

double CandidateModel::least_time(const Candidate& variant) {
  select(variant);
  const LayerTimes& times = layer_times_.times(variant, run_);
  const auto m = static_cast<double>(run_.micro_batches());
  const std::int64_t v = run_.parallel.virtual_stages;
  double ahead = 0.0, least = 0.0;
  for (std::int64_t stage = 0; stage < run_.parallel.pipeline; ++stage) {
    double work = 0.0;
    for (std::int64_t i = 0; i < v; ++i) {
      const ChunkSize& chunk = chunks_[at(stage * v + i)];
      work += forward(times, chunk) + backward(times, chunk);
    }
    least = std::max(least, ahead + m * work);
    const ChunkSize& first = chunks_[at(stage * v)];
    ahead += forward(times, first) + backward(times, first);
  }
  return least;
}

// Chunk activations alive at once, at least.
double CandidateModel::in_flight(std::int64_t stage) const {
  const std::int64_t p = run_.parallel.pipeline, v = run_.parallel.virtual_stages;
  const std::int64_t m = run_.micro_batches(), behind = p - stage - 1;
  switch (run_.parallel.schedule) {
    case ScheduleKind::gpipe: return static_cast<double>(m);
    case ScheduleKind::interleaved:
      return static_cast<double>(
          std::min(m * v, 2 * behind + (v - 1) * run_.parallel.group_of_micro_batches() + 1));
    default: return static_cast<double>(std::min(m, behind + 1));
  }
}

double CandidateModel::least_memory(const Candidate& variant) {
  select(variant);
  const KeptBytes& bytes = layer_times_.kept(variant, run_);
  const MemoryRules rules = memory_rules_for(run_, profile_.device);
  const std::int64_t v = run_.parallel.virtual_stages;
  double most = 0.0;
  for (const std::int64_t stage : {std::int64_t{0}, run_.parallel.pipeline - 1}) {
    double& alive = always_alive_[at(stage)];
    if (alive < 0.0)
      alive = total(persistent_tensors(run_, rules, layout_.stages[at(stage)])).value();
    double kept = -1.0;
    for (std::int64_t i = 0; i < v; ++i) {
      const ChunkSize& chunk = chunks_[at(stage * v + i)];
      const std::int64_t again = recomputed(chunk);
      const double of_chunk = static_cast<double>(again) * bytes.recomputed +
                              static_cast<double>(chunk.layers - again) * bytes.whole;
      kept = kept < 0.0 ? of_chunk : std::min(kept, of_chunk);
    }
    most = std::max(most, alive + in_flight(stage) * kept);
  }
  return most * rules.reserved_over_allocated + rules.outside_allocator.value();
}

const std::vector<StageOrder>& CandidateModel::orders(std::int64_t micro_batches) {
  const ParallelConfig& parallel = run_.parallel;
  const ScheduleShape shape{parallel.schedule, parallel.pipeline, parallel.virtual_stages,
                            micro_batches, parallel.microbatch_group};
  if (orders_.empty() || !same_shape(shape, ordered_shape_)) {
    orders_ = make_schedule(shape);
    ordered_shape_ = shape;
  }
  return orders_;
}

// First and last, and the one with most layers between them: it is the first of its size, so that
// it has most in flight.
std::vector<std::int64_t> CandidateModel::fullest_stages() const {
  const std::int64_t p = run_.parallel.pipeline, v = run_.parallel.virtual_stages;
  std::vector<std::int64_t> stages{0};
  std::int64_t most = -1, fullest = 0;
  for (std::int64_t stage = 1; stage + 1 < p; ++stage) {
    std::int64_t layers = 0;
    for (std::int64_t i = 0; i < v; ++i) layers += chunks_[at(stage * v + i)].layers;
    if (layers <= most) continue;
    most = layers;
    fullest = stage;
  }
  if (fullest > 0) stages.push_back(fullest);
  if (p > 1) stages.push_back(p - 1);
  return stages;
}

double CandidateModel::exact_memory(const Candidate& variant) {
  select(variant);
  const MemoryRules rules = memory_rules_for(run_, profile_.device);
  const std::vector<StageOrder>& order = orders(enough_micro_batches(run_));
  double most = 0.0;
  for (const std::int64_t stage : fullest_stages()) {
    std::vector<TimedAction> actions;
    actions.reserve(order[at(stage)].actions.size());
    for (const Action& action : order[at(stage)].actions) actions.push_back({action, {}, {}});
    most = std::max(most,
                    stage_memory_needed(run_, rules, layout_.stages[at(stage)], actions).value());
  }
  return most;
}

const UnitCosts& CandidateModel::unit_costs() {
  if (!unit_costs_) unit_costs_.emplace(run_, profile_, costs_);
  return *unit_costs_;
}

void CandidateModel::fill_times() {
  const ParallelConfig& parallel = run_.parallel;
  pipeline_.stages = parallel.pipeline;
  pipeline_.virtual_stages = parallel.virtual_stages;
  pipeline_.micro_batches = run_.micro_batches();
  pipeline_.overlap = run_.overlap.pipeline;
  pipeline_.transfer = unit_costs().transfers(run_);
  pipeline_.forward.clear();
  pipeline_.backward.clear();
  const LayerTimes& times = layer_times_.times(variant_, run_);
  for (const ChunkSize& chunk : chunks_) {
    pipeline_.forward.push_back(forward(times, chunk));
    pipeline_.backward.push_back(backward(times, chunk));
  }
  pipeline_.ready.assign(chunks_.size(), 0.0);
  if (!run_.overlap.param_gather || parallel.sharding == Sharding::none) return;
  for (std::int64_t stage = 0; stage < parallel.pipeline; ++stage) {
    double gathered = 0.0;
    for (std::int64_t i = 0; i < parallel.virtual_stages; ++i) {
      const Chunk& chunk = layout_.stages[at(stage)][at(i)];
      const double whole = unit_costs().gather(run_, stage_parameters(run_, {chunk}).total());
      // Without a pipeline the first layer waits for its own parameters only.
      const bool by_layer = parallel.pipeline == 1 && chunk.layers > 1;
      gathered += by_layer ? whole / static_cast<double>(chunk.layers) : whole;
      pipeline_.ready[at(stage * parallel.virtual_stages + i)] = gathered;
    }
  }
}

// When the stage's gradients have been reduced. With overlap they follow each chunk's last
// backward; the first stage reduces layer by layer (sim/program/step_program.cpp).
double CandidateModel::step_end(const PipelineEnds& ends, std::int64_t stage) {
  const std::int64_t v = run_.parallel.virtual_stages;
  double end = ends.stage[at(stage)];
  if (run_.parallel.data * run_.parallel.context == 1) return end;
  if (!run_.overlap.grad_reduce) return end + unit_costs().reduce(run_, parameters_[at(stage)]);
  double free = 0.0;
  for (std::int64_t i = v; i-- > 0;) {
    const Chunk& chunk = layout_.stages[at(stage)][at(i)];
    const double whole = unit_costs().reduce(run_, stage_parameters(run_, {chunk}).total());
    const double ended = ends.chunk[at(stage * v + i)];
    const bool by_layer = stage == 0 && v == 1 && chunk.layers > 1;
    const auto layers = static_cast<double>(chunk.layers);
    const double began = ended - pipeline_.backward[at(stage * v + i)] * (layers - 1.0) / layers;
    free =
        by_layer ? std::max(ended + whole / layers, began + whole) : std::max(free, ended) + whole;
  }
  return std::max(end, free);
}

double CandidateModel::replayed_time(const Candidate& variant) {
  select(variant);
  fill_times();
  const PipelineEnds& ends = replay_.play(pipeline_, orders(run_.micro_batches()));
  double reduced = 0.0, updated = 0.0;
  for (std::int64_t stage = 0; stage < run_.parallel.pipeline; ++stage) {
    reduced = std::max(reduced, step_end(ends, stage));
    double after = unit_costs().update(run_, parameters_[at(stage)]);
    if (!run_.overlap.param_gather) after += unit_costs().gather(run_, parameters_[at(stage)]);
    updated = std::max(updated, after);
  }
  return reduced + updated;
}

}  // namespace stepcast

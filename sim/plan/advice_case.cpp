#include "sim/plan/advice_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "models/flops.hpp"
#include "sim/memory/memory.hpp"
#include "sim/memory/static_memory.hpp"
#include "sim/network/collectives.hpp"
#include "sim/parallel/rules.hpp"
#include "sim/parallel/scope.hpp"
#include "sim/plan/advice_rules.hpp"
#include "sim/program/operation_cost.hpp"
#include "sim/program/step_program.hpp"

namespace stepcast {
namespace {

double real(std::int64_t value) { return static_cast<double>(value); }

Degrees degrees_of(const SearchUnit& unit) {
  return {unit.tensor, unit.pipeline, unit.context, unit.data};
}

Candidate candidate_of(const Degrees& degrees, const Run& base) {
  Candidate candidate;
  candidate.tensor = degrees.tensor;
  candidate.pipeline = degrees.pipeline;
  candidate.context = degrees.context;
  candidate.data = degrees.data;
  candidate.context_kind = base.parallel.context_kind;
  candidate.sequence_parallel = degrees.tensor > 1;
  candidate.sharding =
      degrees.data * degrees.context > 1 ? Sharding::optimizer : base.parallel.sharding;
  candidate.recompute = base.training.attention == AttentionKind::unfused ? RecomputeKind::selective
                                                                          : RecomputeKind::none;
  return candidate;
}

LinkTier slowest_tier(const std::vector<TierUse>& use) {
  LinkTier tier = LinkTier::nvlink;
  for (const TierUse& one : use)
    if (one.seconds_per_byte > 0.0) tier = std::max(tier, one.tier);
  return tier;
}

GroupRate rate_of(const CollectiveEstimate& estimate) {
  return {estimate.wire_bytes / estimate.time(), slowest_tier(estimate.use)};
}

double bubble_of(const Run& run) {
  return bubble_share(run.parallel.pipeline, run.parallel.virtual_stages, run.micro_batches());
}

}  // namespace

Bytes ring_message(const Run& run) {
  return size_of(DataType::bf16) *
         real(2 * run.tokens_per_rank() * run.model.head_dim *
              std::max<std::int64_t>(1, run.model.kv_heads / run.parallel.tensor));
}

Degrees degrees_of(const ParallelConfig& parallel) {
  return {parallel.tensor, parallel.pipeline, parallel.context, parallel.data};
}

AdviceCase::AdviceCase(const SearchRequest& request, const Profile& profile)
    : request_(request),
      profile_(profile),
      table_(profile, {.sustained = true}),
      costs_(table_),
      space_(request),
      model_(request, profile, costs_),
      times_(profile, costs_),
      capacity_(base().cluster.server.gpu_memory.value() * (1.0 - request.limits.memory_margin)) {}

std::int64_t AdviceCase::nvlink_domain() const {
  return std::min(gpus(), base().cluster.server.nvlink_domain_gpus);
}

double AdviceCase::usable(const Run& run) const {
  const MemoryRules rules = memory_rules_for(run, profile_.device);
  return (capacity_ - rules.outside_allocator.value()) / rules.reserved_over_allocated;
}

std::vector<std::int64_t> AdviceCase::tensor_degrees() const {
  std::set<std::int64_t> degrees;
  for (const SearchUnit& unit : space_.units()) degrees.insert(unit.tensor);
  return {degrees.begin(), degrees.end()};
}

std::vector<std::int64_t> AdviceCase::context_degrees() const {
  std::set<std::int64_t> degrees;
  for (const SearchUnit& unit : space_.units()) degrees.insert(unit.context);
  return {degrees.begin(), degrees.end()};
}

std::vector<Degrees> AdviceCase::pipelines(std::int64_t tensor, std::int64_t context) const {
  std::set<Degrees> found;
  for (const SearchUnit& unit : space_.units())
    if (unit.tensor == tensor && unit.context == context) found.insert(degrees_of(unit));
  return {found.begin(), found.end()};
}

Run AdviceCase::run_of(const Candidate& candidate) const {
  return stepcast::run_of(candidate, base());
}

Run AdviceCase::run_with(const Degrees& degrees) const {
  return run_of(candidate_of(degrees, base()));
}

const SearchUnit* AdviceCase::find(const Degrees& degrees) const {
  for (const SearchUnit& unit : space_.units())
    if (degrees_of(unit) == degrees) return &unit;  // data groups inside pipelines come first
  return nullptr;
}

// Of the unit's candidates the plain one, with as many virtual stages as its bubble asks for.
std::optional<Candidate> AdviceCase::family(const SearchUnit& unit, std::int64_t micro_batch) {
  std::int64_t invalid = 0;
  std::vector<Candidate> all = space_.families(unit, invalid);
  if (all.empty()) return std::nullopt;
  if (micro_batch == 0) {
    micro_batch = all.front().micro_batch;
    for (const Candidate& one : all) micro_batch = std::min(micro_batch, one.micro_batch);
  }
  const auto wish = [&](const Candidate& one) {
    const double bubble = bubble_of(run_of(one));
    return std::tuple(one.schedule == ScheduleKind::gpipe,
                      unit.tensor > 1 && !one.sequence_parallel, one.sharding == Sharding::none,
                      bubble > most_bubble ? bubble : 0.0, one.virtual_stages, one.split);
  };
  std::erase_if(all, [&](const Candidate& one) { return one.micro_batch != micro_batch; });
  if (all.empty()) return std::nullopt;
  return *std::min_element(all.begin(), all.end(), [&](const Candidate& a, const Candidate& b) {
    return wish(a) < wish(b);
  });
}

std::string AdviceCase::what_is_wrong(const Degrees& degrees) const {
  const Run run = run_with(degrees);
  std::vector<Problem> problems = check_rules(run);
  if (problems.empty()) problems = check_scope(run);
  if (!problems.empty()) return to_string(problems.front());
  const int complexity = engineering_complexity(run);
  if (const std::optional<int>& most = request_.limits.complexity; most && complexity > *most)
    return fmt::format("complexity {} is above the ceiling of {}", complexity, *most);
  return "outside the limits of the request";
}

Completion AdviceCase::complete(const Degrees& degrees, MayRecompute recompute,
                                std::int64_t micro_batch) {
  Completion done;
  done.candidate = candidate_of(degrees, base());
  const SearchUnit* unit = find(degrees);
  const std::optional<Candidate> plain = unit ? family(*unit, micro_batch) : std::nullopt;
  if (!plain) {
    done.problem = what_is_wrong(degrees);
    return done;
  }
  done.valid = true;
  done.candidate = *plain;
  done.bubble = bubble_of(run_of(*plain));
  model_.open_unit(*unit);
  model_.open_family(*plain);
  const bool keeps_scores = base().training.attention == AttentionKind::unfused;
  const std::int64_t chunk = model_.largest_chunk();
  bool first = true;
  for (const Candidate& variant : space_.recompute_variants(*plain, chunk)) {
    if (variant.recompute == RecomputeKind::none && keeps_scores && !pinned("recompute")) continue;
    done.candidate = variant;
    done.memory = model_.exact_memory(variant);
    done.fits = done.memory <= capacity_ && !excluded_.contains(degrees);
    if (first) done.unrecomputed = done.memory;
    first = false;
    if (variant.recompute == RecomputeKind::full)
      done.recomputed_share =
          variant.recompute_layers == 0 ? 1.0 : real(variant.recompute_layers) / real(chunk);
    if (done.fits || recompute == MayRecompute::no) break;
  }
  return done;
}

FlopsPerSecond AdviceCase::layer_rate() {
  const Candidate whole = candidate_of({}, base());
  const ForwardFlops flops = forward_flops(base().model, base().training.sequence_length,
                                           base().model.vocabulary, FlopsConvention::causal);
  const Flops layer = flops.attention_projections_per_layer + flops.dense_mlp_per_layer +
                      flops.core_attention_per_layer;
  return layer / layer_time(whole, ActionKind::forward);
}

Seconds AdviceCase::layer_time(const Candidate& candidate, ActionKind kind) {
  const LayerTimes& times = times_.times(candidate, run_of(candidate));
  return Seconds{kind == ActionKind::forward ? times.forward.layer : times.backward.layer};
}

GroupRate AdviceCase::rate(const Run& run, GroupKind group, CollectiveOp op, Bytes size) const {
  const CollectiveModel model(run.cluster, profile_, costs_);
  return rate_of(model.estimate(
      op, size, place_groups(run.cluster, rank_groups_of_stage(run.parallel, group, 0))));
}

GroupRate AdviceCase::boundary_rate(const Run& run) const {
  const std::vector<std::vector<std::uint32_t>> pipelines =
      rank_groups(run.parallel, GroupKind::pipeline);
  const CollectiveModel model(run.cluster, profile_, costs_);
  const Bytes size = boundary_size(run, framework_rules(run.framework, run.framework_release));
  GroupRate slowest;
  for (std::size_t stage = 0; stage + 1 < pipelines.front().size(); ++stage) {
    std::vector<std::uint32_t> from, to;
    for (const std::vector<std::uint32_t>& pipeline : pipelines) {
      from.push_back(pipeline[stage]);
      to.push_back(pipeline[stage + 1]);
    }
    const GroupRate here =
        rate_of(model.estimate(CollectiveOp::send_recv, size, place_pairs(run.cluster, from, to)));
    if (stage == 0 || here.rate < slowest.rate) slowest = here;
  }
  return slowest;
}

GroupRate AdviceCase::tensor_rate(std::int64_t tensor) const {
  const Run run = run_with({tensor, 1, 1, gpus() / tensor});
  return rate(run, GroupKind::tensor, CollectiveOp::all_gather,
              size_of(DataType::bf16) * real(run.tokens_per_rank() * run.model.hidden));
}

GroupRate AdviceCase::data_rate(const Run& run) const {
  return rate(run, GroupKind::data_context, CollectiveOp::reduce_scatter,
              size_of(run.training.gradient_dtype) * real(most_parameters(run)));
}

GroupRate AdviceCase::ring_rate(const Run& run) const {
  return rate(run, GroupKind::context, CollectiveOp::send_recv, ring_message(run));
}

double AdviceCase::layer_activations(const Run& run) const {
  double sum = 0.0;
  for (const NamedBytes& one : saved_by_layer(run, memory_rules_for(run, profile_.device)))
    sum += one.bytes.value();
  return sum;
}

double AdviceCase::model_activations(const Run& run) const {
  return real(run.model.layers) * layer_activations(run);
}

std::int64_t AdviceCase::most_parameters(const Run& run) const {
  std::int64_t most = 0;
  for (const std::vector<Chunk>& stage : lay_out_stages(run).stages)
    most = std::max(most, stage_parameters(run, stage).total());
  return most;
}

double AdviceCase::layer_states(std::int64_t tensor) const {
  const Run run = run_with({tensor, 1, 1, 1});
  const Chunk chunk{.first_layer = 0, .layers = 1, .embedding = true, .head = false};
  return real(stage_parameters(run, {chunk}).total()) *
         state_bytes_per_parameter(run, memory_rules_for(run, profile_.device)).total();
}

double AdviceCase::states(const Run& run) const {
  return real(most_parameters(run)) *
         state_bytes_per_parameter(run, memory_rules_for(run, profile_.device)).total();
}

double AdviceCase::logits(const Run& run) const {
  const MemoryRules rules = memory_rules_for(run, profile_.device);
  return bytes_per_logit_in_forward(rules.cross_entropy).value() * real(run.tokens_per_rank()) *
         real(run.padded_vocabulary()) / real(run.parallel.tensor);
}

}  // namespace stepcast

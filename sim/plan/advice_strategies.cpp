#include "sim/plan/advice_strategies.hpp"

#include <algorithm>
#include <set>

#include "sim/parallel/sharding.hpp"
#include "sim/plan/advice_rules.hpp"
#include "sim/program/step_program.hpp"

namespace stepcast {
namespace {

double real(std::int64_t value) { return static_cast<double>(value); }

using Axis = std::int64_t Degrees::*;
constexpr Axis model_axes[] = {&Degrees::tensor, &Degrees::pipeline, &Degrees::context};
constexpr Axis all_axes[] = {&Degrees::tensor, &Degrees::pipeline, &Degrees::context,
                             &Degrees::data};

// The degrees with `axis` at `value` and data taking the rest of as many GPUs; data 0: impossible.
Degrees with_axis(Degrees degrees, Axis axis, std::int64_t value) {
  const std::int64_t gpus = degrees.tensor * degrees.pipeline * degrees.context * degrees.data;
  degrees.*axis = value;
  const std::int64_t model = degrees.tensor * degrees.pipeline * degrees.context;
  degrees.data = gpus % model == 0 ? gpus / model : 0;
  return degrees;
}

std::vector<Degrees> along(const Degrees& chosen, Axis axis) {
  std::vector<Degrees> points;
  for (std::int64_t value = 1;; value *= 2) {
    if (value > chosen.*axis && value / 2 < chosen.*axis) points.push_back(chosen);
    const Degrees here = with_axis(chosen, axis, value);
    if (here.data == 0) break;
    points.push_back(here);
  }
  return points;
}

const StageMemory& fullest(const Prediction& prediction) {
  return *std::max_element(prediction.memory.begin(), prediction.memory.end(),
                           [](const StageMemory& a, const StageMemory& b) {
                             return a.peak_allocated + a.overhead < b.peak_allocated + b.overhead;
                           });
}

// Busy seconds of one micro-batch in the layers of a stage.
double stage_time(AdviceCase& advice, const Candidate& candidate, ActionKind kind) {
  return advice.layer_time(candidate, kind).value() * real(advice.base().model.layers) /
         real(candidate.pipeline);
}

// An unused axis at 2, and another one halved for it.
std::vector<Degrees> with_axis_at_two(const Degrees& chosen, Axis axis) {
  std::vector<Degrees> found;
  for (const Axis from :
       {&Degrees::data, &Degrees::pipeline, &Degrees::tensor, &Degrees::context}) {
    if (from == axis || chosen.*from % 2 != 0) continue;
    found.push_back(chosen);
    found.back().*axis = 2;
    found.back().*from /= 2;
  }
  return found;
}

std::string why_not(const Outcomes& outcomes, const Degrees& chosen, Axis axis) {
  for (const Degrees& degrees : with_axis_at_two(chosen, axis)) {
    const auto found = outcomes.find(degrees);
    if (found != outcomes.end() && !found->second.completion.valid)
      return found->second.completion.problem;
  }
  return "no other degree is even";
}

class Table {
 public:
  Table(AdviceCase& advice, const Outcomes& outcomes) : advice_(advice), outcomes_(outcomes) {}

  Strategy strategy(const char* name, Axis axis, const Degrees& chosen);

 private:
  void fill(Strategy& strategy, const Outcome& outcome, Axis axis);
  void fill_links(Strategy& strategy, const Outcome& outcome, Axis axis);
  [[nodiscard]] std::vector<DegreePoint> curve(const Degrees& chosen, Axis axis) const;
  [[nodiscard]] Statement limit(const Run& run, const Strategy& strategy, Axis axis);

  AdviceCase& advice_;
  const Outcomes& outcomes_;
};

// Bytes a second that hide what an axis sends behind the computation beside it.
std::optional<double> tensor_demand(AdviceCase& advice, const Run& run) {
  if (!run.overlap.tensor) return std::nullopt;
  // Gather or scatter of 2 T h (t - 1) / t bytes beside the smaller column product,
  // 2 T h (a + 2 k) d / t FLOPs (SEMANTICS 2.2, 2.6); T cancels.
  return real(run.parallel.tensor - 1) * advice.layer_rate().value() /
         real((run.model.heads + 2 * run.model.kv_heads) * run.model.head_dim);
}

std::optional<double> pipeline_demand(AdviceCase& advice, const Run& run,
                                      const Candidate& candidate) {
  if (!run.overlap.pipeline) return std::nullopt;
  const Bytes size = boundary_size(run, framework_rules(run.framework, run.framework_release));
  return size.value() * real(run.parallel.virtual_stages) /
         stage_time(advice, candidate, ActionKind::forward);
}

std::optional<double> context_demand(AdviceCase& advice, const Run& run) {
  if (run.parallel.context_kind != ContextKind::ring) return std::nullopt;
  return least_ring_tokens(real(run.model.kv_heads) / real(run.model.heads), advice.layer_rate(),
                           BytesPerSecond{1.0}) /
         real(run.training.sequence_length / run.parallel.context);
}

// Gradients behind the last backward of a micro-batch, parameters behind the first forward
// (SEMANTICS 5.1).
std::optional<double> data_demand(AdviceCase& advice, const Run& run, const Candidate& candidate) {
  if (!run.overlap.grad_reduce) return std::nullopt;
  const bool sharded = run.parallel.sharding != Sharding::none;
  const Bytes gradients = size_of(run.training.gradient_dtype) * real(advice.most_parameters(run));
  const std::int64_t ranks = run.parallel.data * run.parallel.context;
  const Bytes reduced = sharded ? scatter_or_gather_wire_bytes(gradients, ranks)
                                : all_reduce_wire_bytes(gradients, ranks);
  double demand = reduced.value() / stage_time(advice, candidate, ActionKind::backward);
  if (run.overlap.param_gather && sharded) {
    const Bytes parameters =
        size_of(run.training.parameter_dtype) * real(advice.most_parameters(run));
    demand = std::max(demand, scatter_or_gather_wire_bytes(parameters, ranks).value() /
                                  stage_time(advice, candidate, ActionKind::forward));
  }
  return demand;
}

const char* group_name(Axis axis) {
  if (axis == &Degrees::tensor) return "tensor";
  if (axis == &Degrees::pipeline) return "pipeline";
  return axis == &Degrees::context ? "context" : "data";
}

void Table::fill_links(Strategy& strategy, const Outcome& outcome, Axis axis) {
  const Run& run = *outcome.run;
  const Candidate& candidate = outcome.completion.candidate;
  GroupRate link;
  if (axis == &Degrees::tensor) {
    link = advice_.tensor_rate(run.parallel.tensor);
    strategy.hide_bandwidth = tensor_demand(advice_, run);
  } else if (axis == &Degrees::pipeline) {
    link = advice_.boundary_rate(run);
    strategy.hide_bandwidth = pipeline_demand(advice_, run, candidate);
  } else if (axis == &Degrees::context) {
    link = advice_.ring_rate(run);
    strategy.hide_bandwidth = context_demand(advice_, run);
  } else {
    link = advice_.data_rate(run);
    strategy.hide_bandwidth = data_demand(advice_, run, candidate);
  }
  strategy.supplied_bandwidth = link.rate.value();
  strategy.tier = name_of(link.tier);
}

void Table::fill(Strategy& strategy, const Outcome& outcome, Axis axis) {
  strategy.memory = fullest(*outcome.prediction);
  strategy.needed = (strategy.memory.peak_allocated + strategy.memory.overhead).value();
  const Degrees with = strategy.degrees;
  Degrees without = with;
  if (axis == &Degrees::data) {
    without.data = 1;
  } else {
    without = with_axis(with, axis, 1);
  }
  const Run a = advice_.run_with(without), b = advice_.run_with(with);
  strategy.saved_states = advice_.states(a) - advice_.states(b);
  strategy.saved_activations = advice_.model_activations(a) + advice_.logits(a) -
                               advice_.model_activations(b) - advice_.logits(b);
  for (const CommunicationTotal& total : outcome.prediction->communication) {
    if (total.group != group_name(axis)) continue;
    strategy.bytes_per_step += total.bytes_per_rank.value();
    strategy.calls_per_step += total.calls;
    strategy.exposed_s += total.exposed.value();
  }
  fill_links(strategy, outcome, axis);
  strategy.limit = limit(*outcome.run, strategy, axis);
}

std::vector<DegreePoint> Table::curve(const Degrees& chosen, Axis axis) const {
  std::vector<DegreePoint> points;
  for (const Degrees& degrees : along(chosen, axis)) {
    const Outcome& outcome = outcomes_.at(degrees);
    DegreePoint point{
        degrees.*axis, advice_.gpus(), {}, outcome.fits(), outcome.completion.problem};
    if (outcome.prediction) point.tokens_per_s_per_gpu = outcome.prediction->tokens_per_s_per_gpu;
    points.push_back(std::move(point));
  }
  return points;
}

Statement Table::limit(const Run& run, const Strategy& strategy, Axis axis) {
  const Transformer& model = run.model;
  if (axis == &Degrees::tensor)
    return {"limit.tp",
            {count_fact("kv_heads", model.kv_heads),
             count_fact("heads", model.heads),
             count_fact("domain", advice_.nvlink_domain()),
             {"ratio",
              tensor_communication(model, run.parallel.tensor, advice_.layer_rate(),
                                   BytesPerSecond{strategy.supplied_bandwidth}),
              FactUnit::ratio,
              {}}}};
  if (axis == &Degrees::pipeline)
    return {"limit.pp",
            {count_fact("layers", model.layers),
             count_fact("pipeline", run.parallel.pipeline),
             count_fact("virtual", run.parallel.virtual_stages),
             count_fact("micro_batches", run.micro_batches()),
             {"bubble",
              bubble_share(run.parallel.pipeline, run.parallel.virtual_stages, run.micro_batches()),
              FactUnit::share,
              {}}}};
  if (axis == &Degrees::context) {
    const double least =
        least_ring_tokens(real(model.kv_heads) / real(model.heads), advice_.layer_rate(),
                          BytesPerSecond{strategy.supplied_bandwidth});
    return {
        "limit.cp",
        {{"least", least, FactUnit::tokens, {}},
         {"part", real(run.training.sequence_length / run.parallel.context), FactUnit::tokens, {}},
         {"most", real(run.training.sequence_length) / least, FactUnit::ratio, {}}}};
  }
  return {"limit.dp",
          {count_fact("batch", run.training.global_batch),
           count_fact("most", run.training.global_batch / run.training.micro_batch),
           {"tokens", real(run.tokens_per_rank()), FactUnit::tokens, {}},
           {"least",
            least_data_tokens(advice_.layer_rate(), BytesPerSecond{strategy.supplied_bandwidth}),
            FactUnit::tokens,
            {}}}};
}

Strategy Table::strategy(const char* name, Axis axis, const Degrees& chosen) {
  Strategy strategy;
  strategy.name = name;
  if (axis != &Degrees::data) {
    strategy.curve = curve(chosen, axis);
    strategy.knee = knee_of(strategy.curve);
  }
  strategy.used = chosen.*axis > 1;
  const std::optional<Degrees> shown = shown_degrees(outcomes_, chosen, axis);
  if (!shown) {
    strategy.problem = why_not(outcomes_, chosen, axis);
    return strategy;
  }
  strategy.degrees = *shown;
  strategy.degree = (*shown).*axis;
  fill(strategy, outcomes_.at(*shown), axis);
  return strategy;
}

}  // namespace

std::int64_t knee_of(const std::vector<DegreePoint>& curve) {
  std::int64_t knee = 0;
  double best = 0.0;
  for (const DegreePoint& point : curve) {
    if (!point.fits || !point.tokens_per_s_per_gpu) continue;
    if (*point.tokens_per_s_per_gpu < (1.0 - knee_loss) * best) break;
    best = std::max(best, *point.tokens_per_s_per_gpu);
    knee = point.degree;
  }
  return knee;
}

std::vector<Degrees> neighbours_of(const Degrees& chosen) {
  std::vector<Degrees> found;
  for (const Axis up : all_axes)
    for (const Axis down : all_axes) {
      if (up == down || chosen.*down % 2 != 0) continue;
      Degrees degrees = chosen;
      degrees.*up *= 2;
      degrees.*down /= 2;
      found.push_back(degrees);
    }
  return found;
}

std::vector<Degrees> degrees_around(const Degrees& chosen) {
  std::set<Degrees> around{chosen};
  for (const Axis axis : model_axes)
    for (const Degrees& degrees : along(chosen, axis)) around.insert(degrees);
  for (const Degrees& degrees : neighbours_of(chosen)) around.insert(degrees);
  return {around.begin(), around.end()};
}

std::optional<Degrees> shown_degrees(const Outcomes& outcomes, const Degrees& chosen, Axis axis) {
  if (chosen.*axis > 1) return chosen;
  for (const Degrees& degrees : with_axis_at_two(chosen, axis)) {
    const auto found = outcomes.find(degrees);
    if (found != outcomes.end() && found->second.prediction) return degrees;
  }
  return std::nullopt;
}

std::vector<Strategy> strategies_of(AdviceCase& advice, const Degrees& chosen,
                                    const Outcomes& outcomes,
                                    const std::vector<DegreePoint>& data_curve) {
  Table table(advice, outcomes);
  std::vector<Strategy> all;
  all.push_back(table.strategy("dp", &Degrees::data, chosen));
  all.back().curve = data_curve;
  all.back().knee = knee_of(data_curve);
  all.push_back(table.strategy("pp", &Degrees::pipeline, chosen));
  all.push_back(table.strategy("tp", &Degrees::tensor, chosen));
  all.push_back(table.strategy("cp", &Degrees::context, chosen));
  return all;
}

}  // namespace stepcast

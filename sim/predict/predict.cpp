#include "sim/predict/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/flops.hpp"
#include "sim/cost/memoised_cost_model.hpp"
#include "sim/cost/profile_cost_model.hpp"
#include "sim/parallel/scope.hpp"
#include "sim/predict/breakdown.hpp"
#include "sim/predict/step_simulation.hpp"

namespace stepcast {
namespace {

// Identical layouts differ between releases of one framework by a median of 4.3 % from lowest to
// highest (28 groups of NeMo and Megatron-Bridge rows, ACCURACY_HOPPER 3.7): as a standard
// deviation about 3 %. No forecast that does not know the release can be surer.
constexpr double release_sigma = 0.03;
constexpr double p90_quantile = 1.2815515655446004;  // of the standard normal distribution

// Costs of one kind err together (one table, one model), kinds independently.
double relative_sigma(const StepSimulation& simulation, Seconds step) {
  std::array<double, 5> seconds_of_sigma{};  // four compute kinds, communication
  const auto stages = static_cast<double>(simulation.compute_tasks.size());
  for (const TaskRecord& task : simulation.tasks) {
    const CostDoubt& doubt = simulation.operations[task.operation].doubt;
    for (std::size_t kind = 0; kind < seconds_of_sigma.size(); ++kind)
      seconds_of_sigma[kind] += doubt.sigma_seconds[kind];
  }
  double variance = release_sigma * release_sigma;
  for (const double sum : seconds_of_sigma) variance += std::pow(sum / stages / step.value(), 2);
  return std::sqrt(variance);
}

BasisShares basis_shares(const StepSimulation& simulation) {
  std::array<double, 4> seconds{};
  for (const TaskRecord& task : simulation.tasks)
    for (std::size_t basis = 0; basis < seconds.size(); ++basis)
      seconds[basis] += simulation.operations[task.operation].doubt.by_basis[basis];
  double total = 0.0;
  for (const double part : seconds) total += part;
  if (total <= 0.0) return {};
  return {seconds[0] / total, seconds[1] / total, seconds[2] / total, seconds[3] / total};
}

Flops hardware_flops(const StepSimulation& simulation) {
  Flops sum;
  for (const TaskRecord& task : simulation.tasks)
    sum += simulation.operations[task.operation].cost.parts.hardware_flops;
  return sum;
}

void fill_rates(Prediction& prediction, const Run& run, const Profile& profile,
                const StepSimulation& simulation) {
  const double step = prediction.step_p50.value();
  const auto gpus = static_cast<double>(prediction.gpus);
  const auto sequences = static_cast<double>(run.training.global_batch);
  prediction.tokens_per_s = sequences * static_cast<double>(run.training.sequence_length) / step;
  prediction.tokens_per_s_per_gpu = prediction.tokens_per_s / gpus;
  const auto model_rate = [&](std::int64_t vocabulary, FlopsConvention convention) {
    const Flops one = model_flops(run.model, run.training.sequence_length, vocabulary, convention);
    return FlopsPerSecond{one.value() * sequences / step / gpus};
  };
  prediction.model_flops_per_gpu_causal =
      model_rate(run.padded_vocabulary(), FlopsConvention::causal);
  prediction.model_flops_per_gpu_full = model_rate(run.model.vocabulary, FlopsConvention::full);
  const auto stages = static_cast<double>(run.parallel.pipeline);
  prediction.hardware_flops_per_gpu =
      FlopsPerSecond{hardware_flops(simulation).value() / stages / step};
  const auto peak = profile.device.peak.find(run.training.precision);
  if (peak == profile.device.peak.end()) return;
  prediction.mfu_causal = prediction.model_flops_per_gpu_causal / peak->second;
  prediction.mfu_full = prediction.model_flops_per_gpu_full / peak->second;
  prediction.hfu = prediction.hardware_flops_per_gpu / peak->second;
}

void fill_links(Prediction& prediction, const Run& run, const StepSimulation& simulation) {
  for (int tier = 0; tier < link_tier_count; ++tier) {
    LinkUtilisation use;
    use.tier = name_of(static_cast<LinkTier>(tier));
    for (const Link& link : run.cluster.topology.links())
      if (link.tier == static_cast<LinkTier>(tier))
        use.capacity = std::max(use.capacity, link.bandwidth);
    if (use.capacity.value() <= 0.0) continue;
    for (const std::vector<ResourceId>& resources : simulation.link_resources)
      for (int direction = 0; direction < 2; ++direction) {
        const ResourceId resource = resources[static_cast<std::size_t>(tier * 2 + direction)];
        const ResourceReport& report = simulation.report.resources[resource.index];
        use.mean = std::max(use.mean, report.mean_utilisation);
        use.peak = std::max(use.peak, report.peak_utilisation);
      }
    for (const OperationRecord& operation : simulation.operations)
      if (operation.folded)
        use.peak = std::max(use.peak, operation.folded->peak_use[static_cast<std::size_t>(tier)]);
    prediction.links.push_back(use);
  }
}

void fill_memory(Prediction& prediction, const Run& run, const Profile& profile,
                 const StepProgram& program, const StepSimulation& simulation) {
  prediction.memory_capacity = run.cluster.server.gpu_memory;
  Bytes worst;
  for (std::size_t stage = 0; stage < program.stages.size(); ++stage) {
    const auto number = static_cast<std::int64_t>(stage);
    StageMemory memory = simulate_stage_memory(
        run, profile.device, number, program.stages[stage].layout, simulation.actions[stage]);
    prediction.verdict = std::max(prediction.verdict, judge(memory, prediction.memory_capacity));
    const Bytes needed = memory.peak_allocated + memory.overhead;
    if (needed > worst) {
      worst = needed;
      prediction.worst_stage = number;
    }
    prediction.memory.push_back(std::move(memory));
  }
}

void fill_warnings(Prediction& prediction, const Run& run) {
  for (const std::string& text : run.warnings) prediction.warnings.push_back({"run", text});
  for (const std::string& text : run.cluster.warnings)
    prediction.warnings.push_back({"cluster", text});
  if (!run.model.not_counted.empty())
    prediction.warnings.push_back({"model", run.model.not_counted});
  if (prediction.basis.extrapolated > 0.2)
    prediction.warnings.push_back(
        {"extrapolated",
         fmt::format("{:.0f} % of busy time lies outside the measured range: calibrate "
                     "on the machine to narrow the interval",
                     100.0 * prediction.basis.extrapolated)});
}

}  // namespace

PredictionWithTrace predict(const Run& run, const Profile& profile, KeepTrace trace,
                            SimulationDetail detail) {
  const ProfileCostModel table(profile, {.sustained = true});
  const MemoisedCostModel costs(table);
  const FrameworkRules& rules = framework_rules(run.framework, run.framework_release);
  const StepProgram program = compile_step(run, rules, profile.device.compute_capability);
  StepSimulation simulation = simulate_step(run, program, profile, costs, detail);
  PredictionWithTrace result;
  Prediction& prediction = result.prediction;
  prediction.gpus = run.gpus();
  prediction.micro_batches = run.micro_batches();
  prediction.step_p50 = to_seconds(simulation.report.end);
  const double spread = std::exp(p90_quantile * relative_sigma(simulation, prediction.step_p50));
  prediction.step_p10 = prediction.step_p50 / spread;
  prediction.step_p90 = prediction.step_p50 * spread;
  prediction.events = simulation.report.events;
  Breakdown parts = break_down(simulation);
  prediction.breakdown = std::move(parts.stages);
  for (auto& [key, total] : parts.communication)
    prediction.communication.push_back(std::move(total));
  prediction.basis = basis_shares(simulation);
  prediction.sources = profile.sources;
  fill_rates(prediction, run, profile, simulation);
  fill_links(prediction, run, simulation);
  fill_memory(prediction, run, profile, program, simulation);
  fill_warnings(prediction, run);
  result.trace = make_trace(simulation, trace);
  result.actions = std::move(simulation.actions);
  return result;
}

}  // namespace stepcast

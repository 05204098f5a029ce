// Actions as single tasks: what an action takes alone, and what it consists of.

#include <algorithm>

#include "sim/predict/breakdown.hpp"
#include "sim/predict/step_simulator.hpp"

namespace stepcast::detail {
namespace {

// An action that neither reduces gradients nor waits for parameters meets only transfers between
// stages. Without a pipeline the host runs ahead from action to action, which a fold would stop.
bool folds(const Block& block, std::int64_t stages) {
  return !block.operations.empty() &&
         std::all_of(block.operations.begin(), block.operations.end(), [&](const Operation& one) {
           return one.lane != Lane::data && !one.after_gather &&
                  (one.lane != Lane::host || stages > 1);
         });
}

const Block& folded_block() {
  static const Block block{{Operation{"action", Lane::compute, Compute{}, {}}}, {0}};
  return block;
}

bool same_place(const Placement& a, const Placement& b) {
  const auto uses = [](const Placement& placement) {
    std::vector<std::pair<LinkTier, double>> list;
    for (const TierUse& use : placement.ring) list.emplace_back(use.tier, use.seconds_per_byte);
    return list;
  };
  return a.ranks == b.ranks && a.nodes == b.nodes && a.nvlink_domains == b.nvlink_domains &&
         a.ranks_per_domain == b.ranks_per_domain && a.domain_latency == b.domain_latency &&
         a.network_latency == b.network_latency && uses(a) == uses(b);
}

// Cost of the whole, from its parts as they ran: demands are averages over the time it takes.
void add_up(const StepSimulation& alone, OperationRecord& whole, FoldedAction& folded) {
  CostedOperation& cost = whole.cost;
  cost.duration = to_seconds(alone.report.end);
  const double all = cost.duration.value();
  std::array<double, link_tier_count> use{};
  for (const TaskRecord& task : alone.tasks) {
    const OperationRecord& part = alone.operations[task.operation];
    cost.memory_share += part.cost.memory_share * part.cost.duration.value() / all;
    cost.parts.hardware_flops += part.cost.parts.hardware_flops;
    for (std::size_t i = 0; i < part.doubt.sigma_seconds.size(); ++i)
      whole.doubt.sigma_seconds[i] += part.doubt.sigma_seconds[i];
    for (std::size_t i = 0; i < part.doubt.by_basis.size(); ++i)
      whole.doubt.by_basis[i] += part.doubt.by_basis[i];
    for (const TierUse& tier : part.cost.use) {
      const auto index = static_cast<std::size_t>(tier.tier);
      use[index] += tier.seconds_per_byte * part.cost.duration.value() / all;
      folded.peak_use[index] = std::max(folded.peak_use[index], tier.seconds_per_byte);
    }
  }
  cost.memory_share = std::min(1.0, cost.memory_share);
  for (int tier = 0; tier < link_tier_count; ++tier)
    if (const double share = use[static_cast<std::size_t>(tier)]; share > 0.0)
      cost.use.push_back({static_cast<LinkTier>(tier), std::min(1.0, share)});
}

}  // namespace

StepSimulation StepSimulator::run_alone(const CostedBlock& block) const {
  StepSimulator alone(run_, program_, profile_, cost_model_, detail_);
  alone.add_stage(0);
  alone.result_.operations = result_.operations;
  alone.add_block(block, 0, {});
  alone.run_engine();
  return std::move(alone.result_);
}

Seconds StepSimulator::time_alone(const Block& block) {
  return to_seconds(run_alone(cost(block, 0)).report.end);
}

OperationRecord StepSimulator::fold(const CostedBlock& block) const {
  const StepSimulation alone = run_alone(block);
  Breakdown parts = break_down(alone);
  OperationRecord whole;
  whole.name = "action";
  auto folded = std::make_shared<FoldedAction>();
  folded->parts = parts.stages.front();
  folded->communication = std::move(parts.communication);
  add_up(alone, whole, *folded);
  whole.folded = std::move(folded);
  return whole;
}

CostedBlock StepSimulator::cost_action(const Block& block, const ActionKey& key,
                                       std::int64_t stage) {
  if (detail_ == SimulationDetail::operations || !folds(block, stages())) return cost(block, stage);
  const auto found = folded_.find(key);
  if (found != folded_.end()) return {&folded_block(), {found->second}};
  const std::size_t before = result_.operations.size();
  OperationRecord whole = fold(cost(block, stage));
  result_.operations.resize(before);
  result_.operations.push_back(std::move(whole));
  folded_.emplace(key, static_cast<std::uint32_t>(before));
  return {&folded_block(), {static_cast<std::uint32_t>(before)}};
}

std::size_t StepSimulator::placement_class(GroupKind kind, std::int64_t stage) {
  const Placement& here = placement(kind, stage);
  for (std::size_t i = 0; i < placement_classes_.size(); ++i)
    if (same_place(placement_classes_[i], here)) return i;
  placement_classes_.push_back(here);
  return placement_classes_.size() - 1;
}

std::vector<CostedChunk> StepSimulator::cost_chunks(std::int64_t stage) {
  const StageProgram& program = program_.stages[static_cast<std::size_t>(stage)];
  ActionKey key;
  key.tensor_placement = placement_class(GroupKind::tensor, stage);
  key.context_placement = placement_class(GroupKind::context, stage);
  std::vector<CostedChunk> chunks;
  for (std::size_t i = 0; i < program.chunks.size(); ++i) {
    const ChunkProgram& chunk = program.chunks[i];
    const Chunk& shape = program.layout[i];
    key.layers = shape.layers;
    key.embedding = shape.embedding;
    key.head = shape.head;
    const auto costed = [&](const Block& block, ActionKind kind) {
      key.kind = kind;
      return cost_action(block, key, stage);
    };
    chunks.push_back({costed(chunk.forward, ActionKind::forward),
                      costed(chunk.first_forward, ActionKind::forward),
                      costed(chunk.backward, ActionKind::backward),
                      costed(chunk.last_backward, ActionKind::backward)});
  }
  return chunks;
}

}  // namespace stepcast::detail

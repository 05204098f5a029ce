#include "sim/memory/memory.hpp"

#include "sim/memory/activation_memory.hpp"
#include "sim/memory/stage_walk.hpp"

namespace stepcast {
namespace {

// Shares of capacity at which a verdict changes (MEMORY_EXACT 11.3).
constexpr double tight_above = 0.9;

Bytes& part_of(StageMemory& memory, TensorClass kind) {
  switch (kind) {
    case TensorClass::parameter: return memory.parameters;
    case TensorClass::gradient: return memory.gradients;
    case TensorClass::optimizer: return memory.optimizer;
    case TensorClass::activation: return memory.activations;
    case TensorClass::transient: return memory.transient;
  }
  return memory.transient;
}

Bytes overhead_of(Bytes peak, const MemoryRules& rules) {
  return peak * (rules.reserved_over_allocated - 1.0) + rules.outside_allocator;
}

}  // namespace

std::string_view name_of(MemoryVerdict verdict) {
  switch (verdict) {
    case MemoryVerdict::fits: return "fits";
    case MemoryVerdict::tight: return "tight";
    case MemoryVerdict::out_of_memory: return "out_of_memory";
  }
  return "";
}

StageMemory simulate_stage_memory(const Run& run, const MemoryRules& rules, std::int64_t stage,
                                  const std::vector<Chunk>& chunks,
                                  const std::vector<TimedAction>& actions) {
  StageWalk walk(run, rules, chunks);
  walk.run(actions);
  const Ledger& ledger = walk.ledger();
  StageMemory memory;
  memory.stage = stage;
  memory.static_allocated = walk.static_allocated();
  memory.peak_allocated = ledger.peak();
  memory.peak_at = to_seconds(ledger.peak_at());
  memory.timeline = ledger.timeline();
  for (const MemoryTensor& tensor : ledger.alive_at_peak()) {
    part_of(memory, tensor.kind) += tensor.bytes;
    memory.alive_at_peak.push_back({tensor.name, tensor.bytes});
  }
  memory.overhead = overhead_of(memory.peak_allocated, rules);
  return memory;
}

Bytes stage_memory_needed(const Run& run, const MemoryRules& rules,
                          const std::vector<Chunk>& chunks,
                          const std::vector<TimedAction>& actions) {
  StageWalk walk(run, rules, chunks, false);
  walk.run(actions);
  return walk.ledger().peak() + overhead_of(walk.ledger().peak(), rules);
}

StageMemory simulate_stage_memory(const Run& run, const DeviceFacts& device, std::int64_t stage,
                                  const std::vector<Chunk>& chunks,
                                  const std::vector<TimedAction>& actions) {
  return simulate_stage_memory(run, memory_rules_for(run, device), stage, chunks, actions);
}

MemoryVerdict judge(const StageMemory& stage, Bytes capacity) {
  const Bytes used = stage.peak_allocated + stage.overhead;
  if (used > capacity) return MemoryVerdict::out_of_memory;
  return used < capacity * tight_above ? MemoryVerdict::fits : MemoryVerdict::tight;
}

std::vector<NamedBytes> saved_by_layer(const Run& run, const MemoryRules& rules) {
  LayerActivations layer = layer_activations(run, rules);
  const Recompute& recompute = run.training.recompute;
  if (recompute.kind == RecomputeKind::full && !recompute.layers) layer = checkpointed_layer(layer);
  std::vector<NamedBytes> saved;
  add(layer.attention, layer.mlp);
  for (const MemoryTensor& tensor : layer.attention) {
    bool known = false;
    for (NamedBytes& entry : saved) {
      if (entry.name != tensor.name) continue;
      entry.bytes += tensor.bytes;
      known = true;
    }
    if (!known) saved.push_back({tensor.name, tensor.bytes});
  }
  return saved;
}

std::vector<NamedBytes> saved_by_layer(const Run& run) {
  DeviceFacts hopper;
  hopper.compute_capability = 9.0;
  return saved_by_layer(run, memory_rules_for(run, hopper));
}

}  // namespace stepcast

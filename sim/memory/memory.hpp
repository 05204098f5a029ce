#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/sim_time.hpp"
#include "common/units.hpp"
#include "sim/cost/profile.hpp"
#include "sim/memory/memory_rules.hpp"
#include "sim/parallel/action.hpp"
#include "sim/parallel/run.hpp"
#include "sim/parallel/stage_layout.hpp"

namespace stepcast {

struct NamedBytes {
  std::string name;
  Bytes bytes;
  friend bool operator==(const NamedBytes&, const NamedBytes&) = default;
};

struct TimedAction {
  Action action;
  SimTime start, end;
};

// Memory of one pipeline rank over a step, as CONTRACT's `memory.stages[]`.
struct StageMemory {
  std::int64_t stage = 0;
  Bytes parameters, gradients, optimizer;
  Bytes activations;  // saved for backward, at the peak
  Bytes transient;    // everything else alive at the peak (logits, workspaces, gradients in flight)
  Bytes overhead;     // outside the allocator: context, NCCL, fragmentation
  Bytes static_allocated;  // after an iteration
  Bytes peak_allocated;    // what torch.cuda.max_memory_allocated reports
  Seconds peak_at;
  std::vector<NamedBytes> alive_at_peak;            // largest first; sums to peak_allocated
  std::vector<std::pair<Seconds, Bytes>> timeline;  // allocated after each change
};

enum class MemoryVerdict { fits, tight, out_of_memory };
[[nodiscard]] std::string_view name_of(MemoryVerdict verdict);

// Walks the stage's actions in execution order and allocates and frees by tensor (MEMORY_EXACT
// 3-5).
[[nodiscard]] StageMemory simulate_stage_memory(const Run& run, const DeviceFacts& device,
                                                std::int64_t stage,
                                                const std::vector<Chunk>& chunks,
                                                const std::vector<TimedAction>& actions);

// The same under rules that differ from the release's record (arguments of a real run).
[[nodiscard]] StageMemory simulate_stage_memory(const Run& run, const MemoryRules& rules,
                                                std::int64_t stage,
                                                const std::vector<Chunk>& chunks,
                                                const std::vector<TimedAction>& actions);

// peak_allocated + overhead of the same walk, without the timeline: a few times faster.
[[nodiscard]] Bytes stage_memory_needed(const Run& run, const MemoryRules& rules,
                                        const std::vector<Chunk>& chunks,
                                        const std::vector<TimedAction>& actions);

// < 90 % of capacity (allocated + overhead): fits; up to 100 %: tight; above: out of memory.
[[nodiscard]] MemoryVerdict judge(const StageMemory& stage, Bytes capacity);

// Bytes that one layer saves for one micro-batch (SEMANTICS 6.2, MEMORY_EXACT 4), of one recomputed
// in full if the run recomputes all layers so. Without rules: the newest release on a Hopper.
[[nodiscard]] std::vector<NamedBytes> saved_by_layer(const Run& run);
[[nodiscard]] std::vector<NamedBytes> saved_by_layer(const Run& run, const MemoryRules& rules);

}  // namespace stepcast

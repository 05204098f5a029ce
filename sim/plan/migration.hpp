#pragma once

#include <string>
#include <vector>

#include "sim/memory/memory.hpp"
#include "sim/plan/migration_groups.hpp"
#include "sim/plan/migration_knobs.hpp"
#include "sim/plan/migration_optimizer.hpp"
#include "sim/plan/migration_reads.hpp"
#include "sim/plan/migration_tensors.hpp"
#include "sim/plan/migration_training.hpp"

namespace stepcast {

// What a step costs on one side.
struct StepCost {
  Seconds step;            // p50
  Bytes peak_allocated;    // of the fullest stage
  Bytes needed, capacity;  // with what lives outside the allocator
  MemoryVerdict verdict = MemoryVerdict::fits;
};

// What moving a training job from one run to another takes (SEMANTICS 10).
struct Migration {
  std::vector<KnobChange> knobs;
  std::vector<TensorChange> tensors;
  std::vector<std::vector<std::int64_t>> from_layers, to_layers;  // of each pipeline rank
  MigrationReads reads;
  MigrationTimes times;
  bool same_machines = true;
  OptimizerVerdict optimizer;
  RandomVerdict random;
  DataOrderVerdict data_order;
  LossVerdict loss;
  CommunicatorChanges communicators;
  StepCost from_cost, to_cost;
  std::vector<std::string> checklist;
};

// "hidden 8192 and 4096, layers 80 and 32": what makes a checkpoint of one model useless to the
// other; "" for the same model. Names, dropout and rotary positions do not count.
[[nodiscard]] std::string model_differences(const Transformer& from, const Transformer& to);

// Forecasts both runs and compares them. Throws InputError when the models differ, or as predict()
// and load_profile() do.
[[nodiscard]] Migration migrate(const Run& from, const Run& to, const MigrationRates& rates);

}  // namespace stepcast

#include "sim/plan/migration.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/errors.hpp"
#include "sim/plan/migration_checklist.hpp"
#include "sim/predict/predict.hpp"

namespace stepcast {
namespace {

StepCost cost_of(const Run& run) {
  const Prediction prediction = predict(run, load_profile(run.profile)).prediction;
  StepCost cost{.step = prediction.step_p50,
                .peak_allocated = {},
                .needed = {},
                .capacity = prediction.memory_capacity,
                .verdict = prediction.verdict};
  for (const StageMemory& stage : prediction.memory) {
    cost.peak_allocated = std::max(cost.peak_allocated, stage.peak_allocated);
    cost.needed = std::max(cost.needed, stage.peak_allocated + stage.overhead);
  }
  return cost;
}

// The fields that shape a checkpoint.
Transformer shapes_of(Transformer model) {
  model.name.clear();
  model.not_counted.clear();
  model.hidden_dropout = model.attention_dropout = 0.0;
  model.sliding_window = 0;
  if (model.position != PositionKind::learned) model.max_positions = 0;
  return model;
}

}  // namespace

std::string model_differences(const Transformer& from, const Transformer& to) {
  if (shapes_of(from) == shapes_of(to)) return "";
  const std::pair<const char*, std::int64_t Transformer::*> counts[] = {
      {"hidden", &Transformer::hidden},        {"layers", &Transformer::layers},
      {"heads", &Transformer::heads},          {"KV heads", &Transformer::kv_heads},
      {"head size", &Transformer::head_dim},   {"MLP width", &Transformer::ffn},
      {"vocabulary", &Transformer::vocabulary}};
  std::vector<std::string> differences;
  for (const auto& [name, count] : counts)
    if (from.*count != to.*count)
      differences.push_back(fmt::format("{} {} and {}", name, from.*count, to.*count));
  if (differences.empty()) return "biases, norms, embeddings or experts differ";
  return fmt::format("{}", fmt::join(differences, ", "));
}

Migration migrate(const Run& from, const Run& to, const MigrationRates& rates) {
  const std::string differences = model_differences(from.model, to.model);
  if (!differences.empty())
    throw InputError(Problem{"", "model",
                             fmt::format("{} and {} are not the same model ({}): no checkpoint "
                                         "moves between them",
                                         from.model.name, to.model.name, differences)});
  Migration migration;
  migration.knobs = knob_changes(from, to);
  migration.tensors = tensor_changes(from, to);
  migration.from_layers = layers_of_ranks(from);
  migration.to_layers = layers_of_ranks(to);
  migration.same_machines = same_machines(from, to);
  migration.reads = migration_reads(from, to);
  migration.times = migration_times(migration.reads, rates, to);
  migration.optimizer = optimizer_verdict(from, to);
  migration.random = random_verdict(from, to);
  migration.data_order = data_order_verdict(from, to);
  migration.loss = loss_verdict(from, to);
  migration.communicators = communicator_changes(from, to);
  migration.from_cost = cost_of(from);
  migration.to_cost = cost_of(to);
  migration.checklist = migration_checklist(migration, from, to);
  return migration;
}

}  // namespace stepcast

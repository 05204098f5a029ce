#include "sim/memory/static_memory.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "sim/memory/shard_shape.hpp"

namespace stepcast {
namespace {

double real(std::int64_t value) { return static_cast<double>(value); }

bool shards_gradients(Sharding sharding) {
  return sharding == Sharding::gradients || sharding == Sharding::parameters ||
         sharding == Sharding::hybrid;
}

bool shards_parameters(Sharding sharding) {
  return sharding == Sharding::parameters || sharding == Sharding::hybrid;
}

// With a sharded optimizer the flat buffer ends on a multiple of lcm(shards, 128).
// Source: Megatron-LM core/optimizer/param_layout.py. One bucket a stage: the others' padding is
// below 0.01 %.
double padded_parameters(const Run& run, const StageParameters& parameters) {
  if (run.parallel.sharding == Sharding::none) return real(parameters.total());
  const std::int64_t shards = run.parallel.data * run.parallel.context;
  const std::int64_t multiple = std::lcm(shards, std::int64_t{128});
  return real((parameters.total() + multiple - 1) / multiple * multiple);
}

bool has_head(const std::vector<Chunk>& chunks) {
  return std::any_of(chunks.begin(), chunks.end(), [](const Chunk& chunk) { return chunk.head; });
}

std::int64_t layers_of(const std::vector<Chunk>& chunks) {
  std::int64_t layers = 0;
  for (const Chunk& chunk : chunks) layers += chunk.layers;
  return layers;
}

// Vocabulary tables that the stage holds: a tied head on the embedding's stage has none of its own.
double vocabulary_tables(const Run& run, const std::vector<Chunk>& chunks) {
  bool embedding = false, head = false;
  for (const Chunk& chunk : chunks) {
    embedding |= chunk.embedding;
    head |= chunk.head;
  }
  const bool shared = embedding && run.model.tied_embeddings;
  const double tables = (embedding ? 1 : 0) + (head && !shared ? 1 : 0);
  return tables * real(run.padded_vocabulary()) * real(run.model.hidden) /
         real(run.parallel.tensor);
}

// Parameters of the stage's linears; the rest is embeddings, norms and biases.
double linear_weights(const Run& run, const std::vector<Chunk>& chunks, double count) {
  const double wide =
      vocabulary_tables(run, chunks) + real(stage_parameters(run, chunks).replicated);
  return count - std::min(count, wide);
}

// fp8 parameters: one byte for each weight of a linear, two for the others.
double parameter_bytes(const Run& run, const std::vector<Chunk>& chunks, double count) {
  if (run.training.parameter_dtype != DataType::fp8)
    return count * size_of(run.training.parameter_dtype).value();
  return 2 * count - linear_weights(run, chunks, count);
}

// What sequence-parallel gathers and local unfused attention share. Transformer Engine's linears
// have buffers of their own, so there only the LM head's gather counts.
double global_memory_buffer(const Run& run, const MemoryRules& rules,
                            const std::vector<Chunk>& chunks) {
  if (!rules.global_memory_buffer) return 0;
  const ShardShape shape = shard_shape(run);
  double bytes = 0;
  if (run.parallel.sequence_parallel && (has_head(chunks) || !rules.transformer_engine))
    bytes = shape.gathered_bytes;
  if (run.training.attention == AttentionKind::unfused && !rules.transformer_engine)
    bytes = std::max(bytes, shape.score_elements * shape.element);
  return bytes;
}

// FSDP: the root unit (embedding and head) stays gathered, and two blocks are (SEMANTICS 5.3).
double gathered_units(const Run& run, const std::vector<Chunk>& chunks) {
  const double all = real(stage_parameters(run, chunks).total());
  const double root = std::min(all, vocabulary_tables(run, chunks));
  const double layers = real(layers_of(chunks));
  const double block = layers > 0 ? (all - root) / layers : 0;
  return (root + std::min(2.0, layers) * block) * shard_shape(run).element;
}

}  // namespace

StateBytes state_bytes_per_parameter(const Run& run, const MemoryRules& rules) {
  const TrainingConfig& training = run.training;
  const double shards = real(run.parallel.data * run.parallel.context);
  const double optimizer =
      run.parallel.sharding == Sharding::none ? 1 : shards / real(rules.optimizer_instances);
  const bool master = training.parameter_dtype != DataType::fp32;
  const bool copy =
      rules.gradient_copy != GradientCopy::never && training.gradient_dtype != DataType::fp32;
  StateBytes bytes;
  bytes.parameters = size_of(training.parameter_dtype).value() /
                     (shards_parameters(run.parallel.sharding) ? shards : 1);
  bytes.gradients = size_of(training.gradient_dtype).value() /
                    (shards_gradients(run.parallel.sharding) ? shards : 1);
  bytes.master = (master ? 4.0 : 0.0) / optimizer;
  bytes.moments = 2.0 * size_of(training.optimizer_dtype).value() / optimizer;
  bytes.gradient_copy = (copy ? 4.0 : 0.0) / optimizer;
  return bytes;
}

Bytes dummy_weight_gradients(const Run& run, const MemoryRules& rules,
                             const std::vector<Chunk>& chunks) {
  if (!rules.gradient_accumulation_fusion) return Bytes{0};
  const ShardShape shape = shard_shape(run);
  const double hidden = real(run.model.hidden);
  std::set<std::pair<double, double>> shapes;
  if (rules.dummy_weight_gradients && layers_of(chunks) > 0) {
    shapes.insert({shape.query_width + 2 * shape.key_value_width, hidden});
    shapes.insert({hidden, shape.query_width});
    shapes.insert({shape.mlp_width * shape.mlp_input_matrices, hidden});
    shapes.insert({hidden, shape.mlp_width});
  }
  if (rules.dummy_head_gradient && has_head(chunks))
    shapes.insert({real(run.padded_vocabulary()) / shape.tensor, hidden});
  Bytes sum;
  for (const auto& [rows, columns] : shapes) sum += Bytes{2.0 * rows * columns};
  return sum;
}

TensorList persistent_tensors(const Run& run, const MemoryRules& rules,
                              const std::vector<Chunk>& chunks) {
  const double count = padded_parameters(run, stage_parameters(run, chunks));
  const StateBytes bytes = state_bytes_per_parameter(run, rules);
  TensorList list;
  const double shards =
      shards_parameters(run.parallel.sharding) ? real(run.parallel.data * run.parallel.context) : 1;
  add(list, "parameters", TensorClass::parameter, parameter_bytes(run, chunks, count) / shards);
  if (rules.fp8_weight_transposes && run.training.parameter_dtype == DataType::fp8)
    add(list, "transposed fp8 weights", TensorClass::parameter, linear_weights(run, chunks, count));
  add(list, "gradients", TensorClass::gradient, count * bytes.gradients);
  if (rules.gradient_copy == GradientCopy::always)
    add(list, "fp32 copy of gradients", TensorClass::gradient, count * bytes.gradient_copy);
  add(list, "working gradients", TensorClass::gradient, count * rules.working_gradients.value());
  add(list, "master parameters", TensorClass::optimizer, count * bytes.master);
  add(list, "optimizer moments", TensorClass::optimizer, count * bytes.moments);
  add(list, "optimizer buffers", TensorClass::optimizer, count * rules.optimizer_slack.value());
  if (shards_parameters(run.parallel.sharding))
    add(list, "gathered parameters", TensorClass::transient, gathered_units(run, chunks));
  add(list, "cuBLAS workspaces", TensorClass::transient,
      rules.cublas_workspace.value() * real(rules.cublas_handles));
  add(list, "Transformer Engine workspaces", TensorClass::transient,
      rules.engine_workspace.value() * real(rules.engine_workspaces));
  add(list, "dummy weight gradients", TensorClass::transient,
      dummy_weight_gradients(run, rules, chunks).value());
  add(list, "global memory buffer", TensorClass::transient,
      global_memory_buffer(run, rules, chunks));
  add(list, "scalars", TensorClass::transient, rules.scalars.value());
  return list;
}

TensorList between_steps(const Run& run, const MemoryRules& rules,
                         const std::vector<Chunk>& chunks) {
  TensorList list;
  if (rules.gradient_copy != GradientCopy::between_steps) return list;
  const double count = padded_parameters(run, stage_parameters(run, chunks));
  add(list, "fp32 copy of gradients", TensorClass::gradient,
      count * state_bytes_per_parameter(run, rules).gradient_copy);
  return list;
}

}  // namespace stepcast

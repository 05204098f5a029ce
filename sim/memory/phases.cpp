#include "sim/memory/phases.hpp"

#include "sim/memory/shard_shape.hpp"

namespace stepcast {
namespace {

constexpr TensorClass transient = TensorClass::transient;

// Keys and values of one context rank.
double key_value_bytes(const ShardShape& shape) {
  return 2 * shape.tokens * shape.key_value_width * shape.element;
}

bool passes_keys_around(const Run& run) {
  return run.parallel.context > 1 && run.parallel.context_kind != ContextKind::ulysses;
}

}  // namespace

TensorList loss_forward(const Run& run, const MemoryRules& rules) {
  const double kept = bytes_per_logit_kept(rules.cross_entropy).value();
  const double worst = bytes_per_logit_in_forward(rules.cross_entropy).value();
  TensorList list;
  add(list, "logits and their fp32 copies", transient, shard_shape(run).logits * (worst - kept));
  return list;
}

TensorList loss_backward(const Run& run, const MemoryRules& rules) {
  TensorList list;
  if (rules.cross_entropy != CrossEntropy::engine_fused)
    add(list, "gradient of logits", transient, 2 * shard_shape(run).logits);
  return list;
}

TensorList head_backward(const Run& run, const MemoryRules& rules) {
  const ShardShape shape = shard_shape(run);
  TensorList list;
  add(list, "gradient of logits", transient, 2 * shape.logits);
  add(list, "gradient of gathered head input", transient, shape.gathered_bytes);
  if (run.parallel.sequence_parallel && run.parallel.tensor > 1)
    add(list, "gradient of head input", transient, shape.residual_bytes);
  if (!(rules.gradient_accumulation_fusion && rules.dummy_head_gradient)) {
    const double rows = static_cast<double>(run.padded_vocabulary()) / shape.tensor;
    add(list, "head weight gradient", transient,
        rows * static_cast<double>(run.model.hidden) * shape.element);
  }
  return list;
}

TensorList deferred_head_gradient(const Run& run) {
  const ShardShape shape = shard_shape(run);
  TensorList list;
  add(list, "deferred gradients of logits", transient, 2 * shape.logits);
  add(list, "deferred head inputs", transient, shape.gathered_bytes);
  return list;
}

TensorList attention_forward(const Run& run) {
  TensorList list;
  if (!passes_keys_around(run)) return list;
  const ShardShape shape = shard_shape(run);
  // This rank's own keys and values are among the saved ones.
  add(list, "keys and values of the context group", transient,
      (shape.context - 1) * key_value_bytes(shape));
  if (run.parallel.context_kind == ContextKind::ring)
    add(list, "partial attention outputs", transient,
        (shape.context - 1) * shape.tokens * shape.query_width * shape.element);
  return list;
}

TensorList mlp_backward(const Run& run) {
  const ShardShape shape = shard_shape(run);
  TensorList list;
  if (run.parallel.sequence_parallel && run.parallel.tensor > 1)
    add(list, "gathered gradient of MLP output", transient, shape.gathered_bytes);
  // The gradient of the activation takes the place of the activation output.
  add(list, "gradient of MLP first output", transient,
      shape.tokens * shape.mlp_width * shape.mlp_input_matrices * shape.element);
  return list;
}

TensorList attention_backward(const Run& run) {
  const ShardShape shape = shard_shape(run);
  TensorList list;
  if (run.training.attention == AttentionKind::unfused) {
    add(list, "gradients of attention scores", transient, 2 * shape.score_elements * shape.element);
    return list;
  }
  const double queries = shape.tokens * shape.query_width * shape.element;
  add(list, "gradient of attention output", transient, queries);
  add(list, "gradients of query, key, value", transient, queries + key_value_bytes(shape));
  // Two rounds of (keys and values, their gradients) under way (SEMANTICS 3.3).
  if (passes_keys_around(run))
    add(list, "keys, values and gradients in the ring", transient, 4 * key_value_bytes(shape));
  return list;
}

TensorList interleaved_messages(const Run& run) {
  TensorList list;
  add(list, "pipeline messages", transient, 3 * shard_shape(run).residual_bytes);
  return list;
}

TensorList hidden_gradient(const Run& run, const std::string& name) {
  TensorList list;
  add(list, name, transient, shard_shape(run).residual_bytes);
  return list;
}

}  // namespace stepcast

#include "sim/memory/shard_shape.hpp"

#include <algorithm>

namespace stepcast {

ShardShape shard_shape(const Run& run) {
  const auto real = [](std::int64_t value) { return static_cast<double>(value); };
  const Transformer& model = run.model;
  const ParallelConfig& parallel = run.parallel;
  ShardShape shape;
  shape.tensor = real(parallel.tensor);
  shape.context = real(parallel.context);
  shape.sequences = real(run.training.micro_batch);
  shape.sequence = real(run.training.sequence_length);
  shape.tokens = real(run.tokens_per_rank());
  shape.residual_tokens = parallel.sequence_parallel ? shape.tokens / shape.tensor : shape.tokens;
  shape.element = run.training.precision == DataType::fp32 ? 4.0 : 2.0;
  shape.gathered_bytes = shape.tokens * real(model.hidden) * shape.element;
  shape.residual_bytes = shape.residual_tokens * real(model.hidden) * shape.element;
  shape.query_width = real(model.heads * model.head_dim) / shape.tensor;
  // Fewer key-value heads than tensor ranks: each rank uses one head (SEMANTICS 2.1).
  shape.key_value_width = std::max(real(model.kv_heads) / shape.tensor, 1.0) * real(model.head_dim);
  shape.mlp_width = real(model.ffn) / shape.tensor;
  shape.mlp_input_matrices = model.gated_mlp ? 2 : 1;
  shape.score_elements = shape.tokens * shape.sequence * real(model.heads) / shape.tensor;
  shape.logits = shape.tokens * real(run.padded_vocabulary()) / shape.tensor;
  return shape;
}

}  // namespace stepcast

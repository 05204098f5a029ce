#include "sim/memory/activation_memory.hpp"

#include <algorithm>

#include "sim/memory/operator_recompute.hpp"
#include "sim/memory/shard_shape.hpp"

namespace stepcast {
namespace {

constexpr TensorClass activation = TensorClass::activation;

double norm_statistics_bytes(const Run& run) {  // fp32 mean and rstd, or rstd alone
  return run.model.norm == NormKind::layer_norm ? 8.0 : 4.0;
}

bool recomputes(const Run& run, const char* module) {
  const Recompute& recompute = run.training.recompute;
  if (recompute.kind != RecomputeKind::selective || recomputes_by_operator(run)) return false;
  if (recompute.modules.empty()) return std::string(module) == "core_attn";  // Megatron's default
  return std::find(recompute.modules.begin(), recompute.modules.end(), module) !=
         recompute.modules.end();
}

// Copies of the attention output: the result, the [sequence, batch] copy of FlashAttention, and the
// one before the all-to-all of Ulysses context parallelism.
double output_copies(const Run& run, const MemoryRules& rules) {
  const bool flash = run.training.attention == AttentionKind::flash;
  double copies = flash && rules.flash_layout_copy && run.training.micro_batch > 1 ? 2 : 1;
  if (run.parallel.context > 1 && run.parallel.context_kind == ContextKind::ulysses) ++copies;
  return copies;
}

void add_query_key_norm(const Run& run, const ShardShape& shape, TensorList& kept) {
  if (!run.model.qk_norm) return;
  const double heads_of_rank =
      (shape.query_width + shape.key_value_width) / static_cast<double>(run.model.head_dim);
  add(kept, "query and key norm output", activation,
      shape.tokens * (shape.query_width + shape.key_value_width) * shape.element);
  add(kept, "norm statistics", activation,
      shape.tokens * heads_of_rank * norm_statistics_bytes(run));
}

TensorList core_attention(const Run& run, const MemoryRules& rules, const ShardShape& shape) {
  TensorList kept;
  if (run.training.attention == AttentionKind::flash) return kept;
  const double softmax = rules.masked_softmax_fusion ? shape.element : 4.0;
  add(kept, "attention softmax", activation, shape.score_elements * softmax);
  if (run.model.attention_dropout > 0) {
    add(kept, "attention dropout mask", activation, shape.score_elements);
    add(kept, "attention dropped softmax", activation, shape.score_elements * shape.element);
  }
  return kept;
}

void place(TensorList& kept, TensorList& recomputed, const TensorList& tensors, bool again) {
  add(again ? recomputed : kept, tensors);
}

TensorList one(std::string name, double bytes) {
  TensorList list;
  add(list, std::move(name), activation, bytes);
  return list;
}

void add_attention_half(const Run& run, const MemoryRules& rules, const ShardShape& shape,
                        LayerActivations& layer) {
  const double statistics = shape.residual_tokens * norm_statistics_bytes(run);
  TensorList& kept = layer.attention;
  add(kept, "attention norm input", activation, shape.residual_bytes);
  add(kept, "norm statistics", activation, statistics);
  place(kept, layer.recomputed_attention, one("attention norm output", shape.residual_bytes),
        recomputes(run, "layernorm"));
  add(kept, "query, key, value", activation,
      shape.tokens * (shape.query_width + 2 * shape.key_value_width) * shape.element);
  add_query_key_norm(run, shape, kept);
  if (run.training.attention == AttentionKind::flash)
    add(kept, "attention log-sum-exp", activation,
        4.0 * shape.tokens * static_cast<double>(run.model.heads) / shape.tensor);
  place(kept, layer.recomputed_attention, core_attention(run, rules, shape),
        recomputes(run, "core_attn"));
  add(kept, "attention output", activation,
      shape.tokens * shape.query_width * shape.element * output_copies(run, rules));
  if (run.model.norms_per_layer >= 4) {  // Gemma: a norm after the projection, too
    add(kept, "attention post-norm input", activation, shape.residual_bytes);
    add(kept, "norm statistics", activation, statistics);
  }
  if (run.model.hidden_dropout > 0)
    add(kept, "hidden dropout mask", activation, shape.residual_bytes / shape.element);
}

void add_mlp_half(const Run& run, const ShardShape& shape, LayerActivations& layer) {
  const double statistics = shape.residual_tokens * norm_statistics_bytes(run);
  TensorList& kept = layer.mlp;
  if (run.model.norms_per_layer >= 2) {
    add(kept, "MLP norm input", activation, shape.residual_bytes);
    add(kept, "norm statistics", activation, statistics);
    place(kept, layer.recomputed_mlp, one("MLP norm output", shape.residual_bytes),
          recomputes(run, "layernorm"));
  }
  const double width_bytes = shape.tokens * shape.mlp_width * shape.element;
  TensorList inner = one("MLP first output", width_bytes * shape.mlp_input_matrices);
  add(inner, "MLP activation output", activation, width_bytes);
  place(kept, layer.recomputed_mlp, inner, recomputes(run, "mlp"));
  if (run.model.norms_per_layer >= 4) {
    add(kept, "MLP post-norm input", activation, shape.residual_bytes);
    add(kept, "norm statistics", activation, statistics);
  }
  if (run.model.hidden_dropout > 0)
    add(kept, "hidden dropout mask", activation, shape.residual_bytes / shape.element);
}

}  // namespace

LayerActivations layer_activations(const Run& run, const MemoryRules& rules) {
  const ShardShape shape = shard_shape(run);
  LayerActivations layer;
  add_attention_half(run, rules, shape, layer);
  add_mlp_half(run, shape, layer);
  return recomputes_by_operator(run) ? operator_recomputed_layer(run, layer) : layer;
}

LayerActivations checkpointed_layer(const LayerActivations& layer) {
  LayerActivations checkpoint;
  for (const MemoryTensor& tensor : layer.attention) {
    if (tensor.name == "attention norm input") {
      checkpoint.attention.push_back(tensor);
      checkpoint.attention.back().name = "checkpointed layer input";
    } else {
      checkpoint.recomputed_attention.push_back(tensor);
    }
  }
  add(checkpoint.recomputed_attention, layer.recomputed_attention);
  checkpoint.recomputed_mlp = layer.mlp;
  add(checkpoint.recomputed_mlp, layer.recomputed_mlp);
  return checkpoint;
}

TensorList batch_inputs(const Run& run, const MemoryRules& rules, bool embedding, bool head) {
  const ShardShape shape = shard_shape(run);
  TensorList inputs;
  if (!embedding && !head) return inputs;
  // int64 tokens and positions for the embedding; int64 labels and fp32 loss mask for the head.
  add(inputs, "batch", activation, shape.tokens * ((embedding ? 16 : 0) + (head ? 12 : 0)));
  if (rules.attention_mask)
    add(inputs, "attention mask", activation, shape.tokens * shape.sequence);
  return inputs;
}

TensorList embedding_activations(const Run& run) {
  const ShardShape shape = shard_shape(run);
  TensorList kept;
  if (run.model.hidden_dropout > 0)
    add(kept, "embedding dropout mask", activation, shape.residual_bytes / shape.element);
  if (run.model.embedding_norm) {
    add(kept, "embedding norm input", activation, shape.residual_bytes);
    add(kept, "norm statistics", activation, shape.residual_tokens * norm_statistics_bytes(run));
  }
  return kept;
}

TensorList head_activations(const Run& run) {
  const ShardShape shape = shard_shape(run);
  TensorList kept;
  add(kept, "final norm input", activation, shape.residual_bytes);
  add(kept, "norm statistics", activation, shape.residual_tokens * norm_statistics_bytes(run));
  add(kept, "final norm output", activation, shape.residual_bytes);
  return kept;
}

TensorList loss_activations(const Run& run, const MemoryRules& rules) {
  TensorList kept;
  add(kept, "logits kept by the loss", activation,
      shard_shape(run).logits * bytes_per_logit_kept(rules.cross_entropy).value());
  return kept;
}

}  // namespace stepcast

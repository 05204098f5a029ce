#pragma once

#include "sim/memory/memory_rules.hpp"
#include "sim/memory/tensor_list.hpp"
#include "sim/parallel/run.hpp"

namespace stepcast {

// What one layer keeps from its forward to its backward, in the two halves that backward frees one
// after the other, and what recomputation makes again when their backward comes.
// Source: MEMORY_EXACT 4; Transformer Engine layernorm_linear.py, layernorm_mlp.py,
// attention.py; Megatron-LM transformer_layer.py.
struct LayerActivations {
  TensorList attention, mlp;
  TensorList recomputed_attention, recomputed_mlp;
};

// A layer of the run under its selective recompute modules (or none).
[[nodiscard]] LayerActivations layer_activations(const Run& run, const MemoryRules& rules);

// The same layer inside a full checkpoint: only its input is kept, all else is made again.
[[nodiscard]] LayerActivations checkpointed_layer(const LayerActivations& layer);

// Kept once per micro-batch in flight, for each chunk that has the embedding or the head: tokens,
// labels, positions, loss mask, attention mask.
[[nodiscard]] TensorList batch_inputs(const Run& run, const MemoryRules& rules, bool embedding,
                                      bool head);
[[nodiscard]] TensorList embedding_activations(const Run& run);

// Final norm.
[[nodiscard]] TensorList head_activations(const Run& run);
// What the loss keeps of the logits until its backward.
[[nodiscard]] TensorList loss_activations(const Run& run, const MemoryRules& rules);

}  // namespace stepcast

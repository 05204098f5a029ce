#pragma once

#include <cstdint>

#include "common/units.hpp"
#include "models/transformer.hpp"

namespace stepcast {

// Which half of the score matrix counts (SEMANTICS 1.2): `causal` halves attention (Megatron-LM
// training.py), `full` counts the square (torchtitan utils.py, PaLM).
enum class FlopsConvention { causal, full };

// Forward FLOPs of one sequence, by part; backward is twice as much. Matrix products only; a
// sliding window counts as full attention, as in both conventions; layers that Transformer calls
// irregular count as regular ones.
struct ForwardFlops {
  Flops attention_projections_per_layer;
  Flops
      mlp_per_layer;  // of a dense layer, or of a mixture layer (top-k and shared experts, router)
  Flops dense_mlp_per_layer;  // of a dense layer of a model with mixtures; else as mlp_per_layer
  Flops core_attention_per_layer;
  Flops logits;
};
[[nodiscard]] ForwardFlops forward_flops(const Transformer& model, std::int64_t sequence_length,
                                         std::int64_t vocabulary_rows, FlopsConvention convention);

// Forward and backward of one sequence through the whole model: three times the forward.
[[nodiscard]] Flops model_flops(const Transformer& model, std::int64_t sequence_length,
                                std::int64_t vocabulary_rows, FlopsConvention convention);

}  // namespace stepcast

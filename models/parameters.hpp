#pragma once

#include <cstdint>

#include "models/transformer.hpp"

namespace stepcast {

// Parameters of the whole model. `vocabulary_rows` is the number of rows of the word embedding: the
// vocabulary itself for published totals, the padded one for what a framework allocates.
struct ParameterCount {
  std::int64_t attention_per_layer = 0;   // weights of QKV and output projection, no biases
  std::int64_t mlp_per_layer = 0;         // weights of a dense MLP layer, no biases
  std::int64_t per_layer = 0;             // everything in one dense layer (norms, biases)
  std::int64_t per_moe_layer = 0;         // everything in one mixture layer; 0 if dense
  std::int64_t active_per_moe_layer = 0;  // of which used by one token
  std::int64_t embedding = 0;
  std::int64_t embedding_norm = 0;
  std::int64_t position_embedding = 0;
  std::int64_t head = 0;  // weights and bias; 0 when tied and without bias
  std::int64_t final_norm = 0;
  std::int64_t irregular = 0;  // Transformer::irregular_parameters
  std::int64_t total = 0;
  std::int64_t active = 0;  // used by one token: all but the experts that the router leaves out
  friend bool operator==(const ParameterCount&, const ParameterCount&) = default;
};
[[nodiscard]] ParameterCount count_parameters(const Transformer& model,
                                              std::int64_t vocabulary_rows);
[[nodiscard]] ParameterCount count_parameters(const Transformer& model);

// Whether layer `index` (from 0) is a mixture: it comes after the leading dense layers, and
// (index + 1) is a multiple of the interval (Hugging Face's decoder_sparse_step).
[[nodiscard]] bool is_mixture_layer(const Transformer& model, std::int64_t index);
[[nodiscard]] std::int64_t mixture_layers(const Transformer& model);

// Parts of one layer with their biases, without the layer's norms: the attention (with QK norms,
// sinks and the norms inside latent attention), the dense MLP, and the mixture.
[[nodiscard]] std::int64_t attention_parameters(const Transformer& model);
[[nodiscard]] std::int64_t mlp_parameters(const Transformer& model);
[[nodiscard]] std::int64_t mixture_parameters(const Transformer& model);
// One norm over `width` elements: a scale, and for a layer norm a shift.
[[nodiscard]] std::int64_t norm_parameters(const Transformer& model, std::int64_t width);

// ceil(V / (128 tensor)) * 128 tensor. Source: Megatron-LM megatron/training/vocab_utils.py.
[[nodiscard]] std::int64_t padded_vocabulary(std::int64_t vocabulary, std::int64_t tensor,
                                             std::int64_t divisible_by = 128);

}  // namespace stepcast

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
  std::int64_t position_embedding = 0;
  std::int64_t head = 0;  // 0 when tied
  std::int64_t final_norm = 0;
  std::int64_t total = 0;
  std::int64_t active = 0;  // used by one token
  friend bool operator==(const ParameterCount&, const ParameterCount&) = default;
};
[[nodiscard]] ParameterCount count_parameters(const Transformer& model,
                                              std::int64_t vocabulary_rows);
[[nodiscard]] ParameterCount count_parameters(const Transformer& model);

// ceil(V / (128 tensor)) * 128 tensor. Source: Megatron-LM megatron/training/vocab_utils.py.
[[nodiscard]] std::int64_t padded_vocabulary(std::int64_t vocabulary, std::int64_t tensor,
                                             std::int64_t divisible_by = 128);

}  // namespace stepcast

#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace stepcast {

enum class NormKind { layer_norm, rms_norm };
enum class PositionKind { rotary, learned, alibi, none };

// DeepSeek-style multi-head latent attention (arXiv 2405.04434 section 2.1).
struct LatentAttention {
  std::int64_t q_lora_rank = 0;  // 0: queries are projected directly
  std::int64_t kv_lora_rank = 0;
  std::int64_t qk_nope_head_dim = 0;
  std::int64_t qk_rope_head_dim = 0;
  std::int64_t v_head_dim = 0;
  std::int64_t index_heads = 0;  // DeepSeek-V3.2's indexer, which picks the keys; 0: none
  std::int64_t index_head_dim = 0;
  friend bool operator==(const LatentAttention&, const LatentAttention&) = default;
};

struct MixtureOfExperts {
  std::int64_t experts = 0;
  std::int64_t experts_per_token = 0;
  std::int64_t expert_ffn = 0;
  std::int64_t shared_experts = 0;
  std::int64_t shared_ffn = 0;  // width of all shared experts together
  std::int64_t leading_dense_layers = 0;
  std::int64_t layer_interval = 1;  // every n-th layer is a mixture: see is_mixture_layer
  bool router_bias = false;
  bool shared_expert_gate = false;
  bool expert_bias = false;
  friend bool operator==(const MixtureOfExperts&, const MixtureOfExperts&) = default;
};

// A decoder-only transformer as far as time, memory and parameter counts depend on it.
// Counts are elements; `ffn` is the width of one MLP matrix (the gate counts apart).
struct Transformer {
  std::string name{};
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t ffn = 0;
  std::int64_t vocabulary = 0;
  std::int64_t max_positions = 0;  // rows of a learned position table
  bool gated_mlp = true;
  bool tied_embeddings = false;
  bool qkv_bias = false;
  bool attention_output_bias = false;
  bool mlp_bias = false;
  bool head_bias = false;
  bool qk_norm = false;
  bool qk_norm_full_width = false;   // OLMo-2 style: over all heads at once
  bool embedding_norm = false;       // BLOOM: a norm after the word embedding
  bool attention_sinks = false;      // gpt-oss: one learned logit a head
  std::int64_t norms_per_layer = 2;  // Gemma 2/3: 4; Phi/NeoX-parallel with one norm: 1
  std::int64_t sliding_window = 0;   // 0: none
  double hidden_dropout = 0.0;
  double attention_dropout = 0.0;
  NormKind norm = NormKind::rms_norm;
  PositionKind position = PositionKind::rotary;
  std::optional<MixtureOfExperts> moe{};
  std::optional<LatentAttention> latent_attention{};
  // Set when the file describes parts that are counted approximately or not at all
  // (vision towers, state-space layers, multi-token prediction): printed as a warning.
  std::string not_counted{};
  // Parameters of layers that the fields above cannot describe (hybrid and searched models), less
  // what the uniform layers count in their place; so the total is right where this is known.
  std::int64_t irregular_parameters = 0;
  std::int64_t irregular_active_parameters = 0;
  friend bool operator==(const Transformer&, const Transformer&) = default;
};

}  // namespace stepcast

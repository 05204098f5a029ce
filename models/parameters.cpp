#include "models/parameters.hpp"

#include <algorithm>

#include "common/errors.hpp"

namespace stepcast {
namespace {

// Matrices of one MLP: up and down, and the gate.
std::int64_t matrices(const Transformer& model) { return model.gated_mlp ? 3 : 2; }

std::int64_t latent_attention_weights(const Transformer& model) {
  const LatentAttention& latent = *model.latent_attention;
  const std::int64_t query = model.heads * (latent.qk_nope_head_dim + latent.qk_rope_head_dim);
  const std::int64_t down_and_up = latent.q_lora_rank * (model.hidden + query);
  const std::int64_t queries = latent.q_lora_rank > 0 ? down_and_up : model.hidden * query;
  const std::int64_t key_value =
      model.hidden * (latent.kv_lora_rank + latent.qk_rope_head_dim) +
      latent.kv_lora_rank * model.heads * (latent.qk_nope_head_dim + latent.v_head_dim);
  const std::int64_t output = model.heads * latent.v_head_dim * model.hidden;
  const std::int64_t query_input = latent.q_lora_rank > 0 ? latent.q_lora_rank : model.hidden;
  const std::int64_t index = latent.index_heads > 0
                                 ? query_input * latent.index_heads * latent.index_head_dim +
                                       model.hidden * (latent.index_head_dim + latent.index_heads)
                                 : 0;
  return queries + key_value + output + index;
}

std::int64_t attention_weights(const Transformer& model) {
  if (model.latent_attention) return latent_attention_weights(model);
  const std::int64_t qkv = (model.heads + 2 * model.kv_heads) * model.head_dim;
  return model.hidden * qkv + model.heads * model.head_dim * model.hidden;
}

// Biases, norms and sinks inside an attention.
std::int64_t attention_extras(const Transformer& model) {
  std::int64_t extras = model.attention_output_bias ? model.hidden : 0;
  if (model.attention_sinks) extras += model.heads;
  if (model.latent_attention) {
    const LatentAttention& latent = *model.latent_attention;
    extras += latent.q_lora_rank + latent.kv_lora_rank;  // RMS norms of the two latents
    extras += 2 * latent.index_head_dim;                 // the index key's layer norm
    if (model.qkv_bias)
      extras += latent.q_lora_rank + latent.kv_lora_rank + latent.qk_rope_head_dim;
    return extras;
  }
  if (model.qkv_bias) extras += (model.heads + 2 * model.kv_heads) * model.head_dim;
  if (model.qk_norm) {
    const std::int64_t normed_heads = model.qk_norm_full_width ? model.heads + model.kv_heads : 2;
    extras += norm_parameters(model, normed_heads * model.head_dim);
  }
  return extras;
}

std::int64_t mlp_biases(const Transformer& model, std::int64_t width) {
  return (matrices(model) - 1) * width + model.hidden;
}

std::int64_t expert_parameters(const Transformer& model) {
  const std::int64_t width = model.moe->expert_ffn;
  return matrices(model) * model.hidden * width +
         (model.moe->expert_bias ? mlp_biases(model, width) : 0);
}

}  // namespace

std::int64_t norm_parameters(const Transformer& model, std::int64_t width) {
  return model.norm == NormKind::layer_norm ? 2 * width : width;
}

std::int64_t attention_parameters(const Transformer& model) {
  return attention_weights(model) + attention_extras(model);
}

std::int64_t mlp_parameters(const Transformer& model) {
  return matrices(model) * model.hidden * model.ffn +
         (model.mlp_bias ? mlp_biases(model, model.ffn) : 0);
}

std::int64_t mixture_parameters(const Transformer& model) {
  if (!model.moe) return 0;
  const MixtureOfExperts& moe = *model.moe;
  std::int64_t count = moe.experts * expert_parameters(model);
  count += model.hidden * moe.experts + (moe.router_bias ? moe.experts : 0);
  count += matrices(model) * model.hidden * moe.shared_ffn;
  if (moe.shared_experts > 0 && model.mlp_bias) count += mlp_biases(model, moe.shared_ffn);
  if (moe.shared_expert_gate) count += model.hidden;
  return count;
}

bool is_mixture_layer(const Transformer& model, std::int64_t index) {
  return model.moe && index >= model.moe->leading_dense_layers &&
         (index + 1) % model.moe->layer_interval == 0;
}

std::int64_t mixture_layers(const Transformer& model) {
  if (!model.moe) return 0;
  const std::int64_t dense = std::min(model.moe->leading_dense_layers, model.layers);
  return model.layers / model.moe->layer_interval - dense / model.moe->layer_interval;
}

ParameterCount count_parameters(const Transformer& model, std::int64_t vocabulary_rows) {
  ParameterCount count;
  count.attention_per_layer = attention_weights(model);
  count.mlp_per_layer = matrices(model) * model.hidden * model.ffn;
  const std::int64_t common =
      attention_parameters(model) + model.norms_per_layer * norm_parameters(model, model.hidden);
  count.per_layer = common + mlp_parameters(model);
  if (model.moe) {
    const std::int64_t idle = model.moe->experts - model.moe->experts_per_token;
    count.per_moe_layer = common + mixture_parameters(model);
    count.active_per_moe_layer = count.per_moe_layer - idle * expert_parameters(model);
  }
  count.embedding = vocabulary_rows * model.hidden;
  count.embedding_norm = model.embedding_norm ? norm_parameters(model, model.hidden) : 0;
  count.position_embedding =
      model.position == PositionKind::learned ? model.max_positions * model.hidden : 0;
  count.head = (model.tied_embeddings ? 0 : vocabulary_rows * model.hidden) +
               (model.head_bias ? vocabulary_rows : 0);
  count.final_norm = norm_parameters(model, model.hidden);
  count.irregular = model.irregular_parameters;

  const std::int64_t mixtures = mixture_layers(model);
  const std::int64_t regular = (model.layers - mixtures) * count.per_layer + count.embedding +
                               count.embedding_norm + count.position_embedding + count.head +
                               count.final_norm;
  count.total = regular + mixtures * count.per_moe_layer + model.irregular_parameters;
  count.active =
      regular + mixtures * count.active_per_moe_layer + model.irregular_active_parameters;
  return count;
}

ParameterCount count_parameters(const Transformer& model) {
  return count_parameters(model, model.vocabulary);
}

std::int64_t padded_vocabulary(std::int64_t vocabulary, std::int64_t tensor,
                               std::int64_t divisible_by) {
  STEPCAST_CHECK(vocabulary >= 1 && tensor >= 1 && divisible_by >= 1);
  const std::int64_t multiple = divisible_by * tensor;
  return (vocabulary + multiple - 1) / multiple * multiple;
}

}  // namespace stepcast

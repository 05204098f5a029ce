#include "models/flops.hpp"

#include "models/parameters.hpp"

namespace stepcast {
namespace {

double real(std::int64_t value) { return static_cast<double>(value); }

// Multiply-adds of one token in an MLP of this width.
double mlp_products(const Transformer& model, std::int64_t width) {
  return real((model.gated_mlp ? 3 : 2) * model.hidden) * real(width);
}

double mixture_products(const Transformer& model) {
  const MixtureOfExperts& moe = *model.moe;
  const double gate = moe.shared_expert_gate ? real(model.hidden) : 0.0;
  return mlp_products(model, moe.experts_per_token * moe.expert_ffn + moe.shared_ffn) +
         real(model.hidden * moe.experts) + gate;
}

// Elements of a head that meet in the scores and in the values.
std::int64_t score_and_value_width(const Transformer& model) {
  if (!model.latent_attention) return 2 * model.head_dim;
  const LatentAttention& latent = *model.latent_attention;
  return latent.qk_nope_head_dim + latent.qk_rope_head_dim + latent.v_head_dim;
}

}  // namespace

ForwardFlops forward_flops(const Transformer& model, std::int64_t sequence_length,
                           std::int64_t vocabulary_rows, FlopsConvention convention) {
  const double tokens = real(sequence_length);
  const ParameterCount count = count_parameters(model, vocabulary_rows);
  const double share_of_square = convention == FlopsConvention::causal ? 0.5 : 1.0;
  const double dense = 2.0 * tokens * mlp_products(model, model.ffn);
  return {
      .attention_projections_per_layer = Flops{2.0 * tokens * real(count.attention_per_layer)},
      .mlp_per_layer = Flops{model.moe ? 2.0 * tokens * mixture_products(model) : dense},
      .dense_mlp_per_layer = Flops{dense},
      .core_attention_per_layer = Flops{share_of_square * 2.0 * tokens * tokens *
                                        real(model.heads * score_and_value_width(model))},
      .logits = Flops{2.0 * tokens * real(model.hidden) * real(vocabulary_rows)},
  };
}

Flops model_flops(const Transformer& model, std::int64_t sequence_length,
                  std::int64_t vocabulary_rows, FlopsConvention convention) {
  const ForwardFlops forward = forward_flops(model, sequence_length, vocabulary_rows, convention);
  const double mixtures = real(mixture_layers(model));
  const double layers = real(model.layers);
  const Flops total =
      layers * (forward.attention_projections_per_layer + forward.core_attention_per_layer) +
      mixtures * forward.mlp_per_layer + (layers - mixtures) * forward.dense_mlp_per_layer +
      forward.logits;
  return 3.0 * total;
}

}  // namespace stepcast

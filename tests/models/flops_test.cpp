#include "models/flops.hpp"

#include <gtest/gtest.h>

#include "models/load.hpp"
#include "tests/models/semantics_vectors.hpp"

namespace stepcast {
namespace {

constexpr FlopsConvention causal = FlopsConvention::causal;
constexpr FlopsConvention full = FlopsConvention::full;

Transformer tiny() {
  return {.name = "tiny",
          .layers = 3,
          .hidden = 8,
          .heads = 2,
          .kv_heads = 1,
          .head_dim = 4,
          .ffn = 16,
          .vocabulary = 10};
}

TEST(ForwardFlops, CountTwoForEachMultiplyAdd) {
  const ForwardFlops flops = forward_flops(tiny(), 6, 12, full);
  EXPECT_EQ(flops.attention_projections_per_layer, Flops{2.0 * 6 * 8 * ((2 + 2) * 4 + 2 * 4)});
  EXPECT_EQ(flops.mlp_per_layer, Flops{2.0 * 6 * 3 * 8 * 16});
  EXPECT_EQ(flops.dense_mlp_per_layer, flops.mlp_per_layer);
  EXPECT_EQ(flops.core_attention_per_layer, Flops{4.0 * 6 * 6 * 2 * 4});
  EXPECT_EQ(flops.logits, Flops{2.0 * 6 * 8 * 12});
}

TEST(ForwardFlops, HalveOnlyTheScoresWhenCausal) {
  const ForwardFlops half = forward_flops(tiny(), 6, 12, causal);
  const ForwardFlops whole = forward_flops(tiny(), 6, 12, full);
  EXPECT_EQ(2.0 * half.core_attention_per_layer, whole.core_attention_per_layer);
  EXPECT_EQ(half.mlp_per_layer, whole.mlp_per_layer);
}

TEST(ForwardFlops, CountChosenAndSharedExpertsAndTheRouter) {
  Transformer model = tiny();
  model.moe = MixtureOfExperts{.experts = 4,
                               .experts_per_token = 2,
                               .expert_ffn = 5,
                               .shared_experts = 1,
                               .shared_ffn = 6,
                               .leading_dense_layers = 1};
  const ForwardFlops flops = forward_flops(model, 6, 12, causal);
  EXPECT_EQ(flops.mlp_per_layer, Flops{2.0 * 6 * (3 * 8 * (2 * 5 + 6) + 8 * 4)});
  EXPECT_EQ(flops.dense_mlp_per_layer, Flops{2.0 * 6 * 3 * 8 * 16});
  const Flops layers =
      3.0 * (flops.attention_projections_per_layer + flops.core_attention_per_layer) +
      1.0 * flops.dense_mlp_per_layer + 2.0 * flops.mlp_per_layer;
  EXPECT_EQ(model_flops(model, 6, 12, causal), 3.0 * (layers + flops.logits));
}

TEST(ForwardFlops, UseTheWidthsOfLatentAttention) {
  Transformer model = tiny();
  model.latent_attention = LatentAttention{.q_lora_rank = 6,
                                           .kv_lora_rank = 5,
                                           .qk_nope_head_dim = 4,
                                           .qk_rope_head_dim = 2,
                                           .v_head_dim = 3};
  // Scores over 4 + 2 elements a head, values over 3.
  EXPECT_EQ(forward_flops(model, 6, 12, full).core_attention_per_layer,
            Flops{2.0 * 6 * 6 * 2 * (4 + 2 + 3)});
}

// SEMANTICS 1.2: 51.47 GFLOP a token, forward and backward.
TEST(ModelFlops, OfLlama3) {
  const Flops flops = model_flops(load_model("llama-3-8b"), 8192, 128256, causal);
  EXPECT_DOUBLE_EQ(flops.value(), 421645529382912.0);
  EXPECT_NEAR(flops.value() / 8192, 51.47e9, 0.005e9);
}

// arXiv 2104.04473: 96 B s l h^2 (1 + s/6h + V/16lh) with full recomputation, that is 4 forwards of
// the layers and 3 of the logits.
TEST(ModelFlops, AgreeWithTheClosedFormOfGpt) {
  const Transformer model = load_model("megatron-1t");
  const double s = 2048, l = 128, h = 25600, rows = 51200;
  const double closed = 96 * s * l * h * h * (1 + s / (6 * h) + rows / (16 * l * h));
  const ForwardFlops forward = forward_flops(model, 2048, 51200, full);
  const Flops four_forwards = (4.0 / 3.0) * model_flops(model, 2048, 51200, full);
  EXPECT_NEAR((four_forwards - forward.logits).value() / closed, 1.0, 1e-14);
}

TEST(SemanticsVectors, ModelFlops) {
  STEPCAST_SKIP_WITHOUT_VECTORS();
  for (const auto& vector : semantics_vectors("flops/")) {
    if (!vector.at("expected").contains("causal")) continue;
    const Transformer model = model_of_vector(named_vector_model(vector));
    const std::int64_t length = vector.at("inputs").at("s");
    const std::int64_t rows = vector.at("inputs").at("vocab");
    for (const auto convention : {causal, full}) {
      const auto& expected = vector.at("expected").at(convention == causal ? "causal" : "full");
      const ForwardFlops flops = forward_flops(model, length, rows, convention);
      EXPECT_EQ(flops.attention_projections_per_layer.value(), expected.at("attn_proj_layer_fwd"));
      EXPECT_EQ(flops.mlp_per_layer.value(), expected.at("mlp_layer_fwd"));
      EXPECT_EQ(flops.core_attention_per_layer.value(), expected.at("core_attn_layer_fwd"));
      EXPECT_EQ(flops.logits.value(), expected.at("logits_fwd"));
      EXPECT_DOUBLE_EQ(model_flops(model, length, rows, convention).value(),
                       expected.at("total_fwd_bwd"))
          << vector.at("id");
    }
  }
}

TEST(SemanticsVectors, ModelFlopsOfAnIteration) {
  STEPCAST_SKIP_WITHOUT_VECTORS();
  const auto vector = semantics_vectors("flops/gpt3_175b_hfu_formula").front();
  const Transformer model = model_of_vector(named_vector_model(vector));
  const auto& inputs = vector.at("inputs");
  const Flops sequence = model_flops(model, inputs.at("s"), inputs.at("vocab"), full);
  EXPECT_DOUBLE_EQ((inputs.at("B").get<double>() * sequence).value(),
                   vector.at("expected").at("model_flops_full"));
}

}  // namespace
}  // namespace stepcast

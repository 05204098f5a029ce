#include "models/parameters.hpp"

#include <gtest/gtest.h>

#include "tests/models/semantics_vectors.hpp"

namespace stepcast {
namespace {

// Hidden 8, 2 heads of 4, MLP 16, 10 words, 3 layers; no biases, two RMS norms.
Transformer tiny() {
  return {.name = "tiny",
          .layers = 3,
          .hidden = 8,
          .heads = 2,
          .kv_heads = 2,
          .head_dim = 4,
          .ffn = 16,
          .vocabulary = 10};
}

TEST(CountParameters, AddsUpADenseModel) {
  const ParameterCount count = count_parameters(tiny());
  EXPECT_EQ(count.attention_per_layer, 4 * 8 * 8);  // Q, K, V, output
  EXPECT_EQ(count.mlp_per_layer, 3 * 8 * 16);       // gate, up, down
  EXPECT_EQ(count.per_layer, 256 + 384 + 2 * 8);    // and two norms
  EXPECT_EQ(count.embedding, 10 * 8);
  EXPECT_EQ(count.head, 10 * 8);
  EXPECT_EQ(count.final_norm, 8);
  EXPECT_EQ(count.total, 3 * 656 + 80 + 80 + 8);
  EXPECT_EQ(count.active, count.total);
}

TEST(CountParameters, CountsTheRowsOfThePaddedVocabulary) {
  EXPECT_EQ(count_parameters(tiny(), 12).total, count_parameters(tiny()).total + 2 * 2 * 8);
}

TEST(CountParameters, SharesTiedEmbeddings) {
  Transformer model = tiny();
  model.tied_embeddings = true;
  EXPECT_EQ(count_parameters(model).head, 0);
  model.head_bias = true;
  EXPECT_EQ(count_parameters(model).head, 10);
}

TEST(CountParameters, GroupsKeyValueHeads) {
  Transformer model = tiny();
  model.kv_heads = 1;
  EXPECT_EQ(count_parameters(model).attention_per_layer, 8 * (2 + 2 * 1) * 4 + 2 * 4 * 8);
}

TEST(CountParameters, AddsBiasesNormsAndSinks) {
  const std::int64_t plain = count_parameters(tiny()).per_layer;
  const auto extra = [&](auto change) {
    Transformer model = tiny();
    change(model);
    return count_parameters(model).per_layer - plain;
  };
  EXPECT_EQ(extra([](Transformer& m) { m.qkv_bias = true; }), 3 * 8);
  EXPECT_EQ(extra([](Transformer& m) { m.attention_output_bias = true; }), 8);
  EXPECT_EQ(extra([](Transformer& m) { m.mlp_bias = true; }), 2 * 16 + 8);
  EXPECT_EQ(extra([](Transformer& m) { m.qk_norm = true; }), 2 * 4);
  EXPECT_EQ(extra([](Transformer& m) { m.qk_norm = m.qk_norm_full_width = true; }), 2 * 8);
  EXPECT_EQ(extra([](Transformer& m) { m.attention_sinks = true; }), 2);
  EXPECT_EQ(extra([](Transformer& m) { m.norms_per_layer = 4; }), 2 * 8);
  EXPECT_EQ(extra([](Transformer& m) { m.norm = NormKind::layer_norm; }), 2 * 8);
  EXPECT_EQ(extra([](Transformer& m) { m.gated_mlp = false; }), -8 * 16);
}

TEST(CountParameters, AddsPositionTableAndEmbeddingNorm) {
  Transformer model = tiny();
  model.max_positions = 5;
  EXPECT_EQ(count_parameters(model).position_embedding, 0);  // rotary
  model.position = PositionKind::learned;
  model.embedding_norm = true;
  EXPECT_EQ(count_parameters(model).position_embedding, 5 * 8);
  EXPECT_EQ(count_parameters(model).embedding_norm, 8);
  EXPECT_EQ(count_parameters(model).total, count_parameters(tiny()).total + 40 + 8);
}

TEST(CountParameters, CountsExpertsInAllAndInUse) {
  Transformer model = tiny();
  model.moe = MixtureOfExperts{.experts = 4,
                               .experts_per_token = 2,
                               .expert_ffn = 5,
                               .shared_experts = 1,
                               .shared_ffn = 6,
                               .leading_dense_layers = 1,
                               .router_bias = true,
                               .shared_expert_gate = true};
  const ParameterCount count = count_parameters(model);
  const std::int64_t expert = 3 * 8 * 5;
  const std::int64_t common = 256 + 16;  // attention and norms
  const std::int64_t shared = 3 * 8 * 6 + 8;
  const std::int64_t router = 8 * 4 + 4;
  EXPECT_EQ(count.per_moe_layer, common + 4 * expert + shared + router);
  EXPECT_EQ(count.active_per_moe_layer, common + 2 * expert + shared + router);
  EXPECT_EQ(count.total, 656 + 2 * count.per_moe_layer + 168);
  EXPECT_EQ(count.active, 656 + 2 * count.active_per_moe_layer + 168);
}

TEST(CountParameters, CountsExpertBiases) {
  Transformer model = tiny();
  model.moe = MixtureOfExperts{.experts = 4, .experts_per_token = 1, .expert_ffn = 5};
  const std::int64_t plain = count_parameters(model).per_moe_layer;
  model.moe->expert_bias = true;
  EXPECT_EQ(count_parameters(model).per_moe_layer - plain, 4 * (2 * 5 + 8));
}

TEST(CountParameters, CountsLatentAttention) {
  Transformer model = tiny();
  model.latent_attention = LatentAttention{.q_lora_rank = 6,
                                           .kv_lora_rank = 5,
                                           .qk_nope_head_dim = 4,
                                           .qk_rope_head_dim = 2,
                                           .v_head_dim = 3};
  const std::int64_t queries = 8 * 6 + 6 * 2 * (4 + 2);
  const std::int64_t keys_values = 8 * (5 + 2) + 5 * 2 * (4 + 3);
  const std::int64_t output = 2 * 3 * 8;
  EXPECT_EQ(count_parameters(model).attention_per_layer, queries + keys_values + output);
  EXPECT_EQ(attention_parameters(model), queries + keys_values + output + 6 + 5);  // two norms
  model.latent_attention->q_lora_rank = 0;
  EXPECT_EQ(count_parameters(model).attention_per_layer, 8 * 2 * 6 + keys_values + output);
}

TEST(CountParameters, CountsTheIndexerOfSparseAttention) {
  Transformer model = tiny();
  model.latent_attention =
      LatentAttention{.q_lora_rank = 6, .kv_lora_rank = 5, .qk_nope_head_dim = 4, .v_head_dim = 3};
  const std::int64_t without = attention_parameters(model);
  model.latent_attention->index_heads = 3;
  model.latent_attention->index_head_dim = 2;
  // Queries from the latent, one key, a weight for each head; a layer norm of the key.
  EXPECT_EQ(attention_parameters(model) - without, 6 * 3 * 2 + 8 * 2 + 8 * 3 + 2 * 2);
}

TEST(CountParameters, AddsIrregularLayers) {
  Transformer model = tiny();
  model.irregular_parameters = -100;
  model.irregular_active_parameters = -60;
  EXPECT_EQ(count_parameters(model).total, count_parameters(tiny()).total - 100);
  EXPECT_EQ(count_parameters(model).active, count_parameters(tiny()).total - 60);
}

TEST(MixtureLayers, FollowTheDenseOnesAtTheInterval) {
  Transformer model = tiny();
  EXPECT_EQ(mixture_layers(model), 0);
  for (std::int64_t layers = 1; layers <= 7; ++layers)
    for (std::int64_t dense = 0; dense <= 8; ++dense)
      for (std::int64_t interval = 1; interval <= 3; ++interval) {
        model.layers = layers;
        model.moe = MixtureOfExperts{.leading_dense_layers = dense, .layer_interval = interval};
        std::int64_t listed = 0;
        for (std::int64_t i = 0; i < layers; ++i) listed += is_mixture_layer(model, i) ? 1 : 0;
        EXPECT_EQ(mixture_layers(model), listed) << layers << " " << dense << " " << interval;
      }
  EXPECT_FALSE(is_mixture_layer(tiny(), 0));
}

TEST(PaddedVocabulary, IsTheNextMultiple) {
  EXPECT_EQ(padded_vocabulary(128256, 1), 128256);  // 1002 * 128
  EXPECT_EQ(padded_vocabulary(128256, 4), 128512);  // 251 * 512
  EXPECT_EQ(padded_vocabulary(50257, 8), 51200);    // 50 * 1024
  EXPECT_EQ(padded_vocabulary(10, 3, 1), 12);
}

TEST(SemanticsVectors, ParameterCounts) {
  STEPCAST_SKIP_WITHOUT_VECTORS();
  for (const auto& vector : semantics_vectors("params/")) {
    const auto& inputs = vector.at("inputs");
    Transformer model = model_of_vector(inputs.at("model"));
    model.max_positions = inputs.at("pos_emb").get<std::int64_t>() / model.hidden;
    const ParameterCount count = count_parameters(model, inputs.at("vocab_used"));
    const auto& expected = vector.at("expected");
    EXPECT_EQ(count.attention_per_layer, expected.at("attn_per_layer")) << vector.at("id");
    EXPECT_EQ(count.mlp_per_layer, expected.at("mlp_per_layer")) << vector.at("id");
    EXPECT_EQ(count.per_layer, expected.at("per_layer")) << vector.at("id");
    EXPECT_EQ(count.total, expected.at("total")) << vector.at("id");
  }
}

TEST(SemanticsVectors, PaddedVocabularies) {
  STEPCAST_SKIP_WITHOUT_VECTORS();
  for (const auto& vector : semantics_vectors("vocab_pad/")) {
    const auto& inputs = vector.at("inputs");
    EXPECT_EQ(padded_vocabulary(inputs.at("V"), inputs.at("tp"), inputs.at("divisible_by")),
              vector.at("expected").at("padded"))
        << vector.at("id");
  }
}

// The length at which causal attention costs as much as the matrices: 2 P = 2 s a d.
TEST(SemanticsVectors, SequenceCrossovers) {
  STEPCAST_SKIP_WITHOUT_VECTORS();
  for (const auto& vector : semantics_vectors("seq_crossover/")) {
    const Transformer model = model_of_vector(named_vector_model(vector));
    const ParameterCount count = count_parameters(model);
    const double weights = static_cast<double>(count.attention_per_layer + count.mlp_per_layer);
    const double width = static_cast<double>(model.heads * model.head_dim);
    EXPECT_DOUBLE_EQ(weights / width, vector.at("expected").at("s_equal")) << vector.at("id");
  }
}

}  // namespace
}  // namespace stepcast

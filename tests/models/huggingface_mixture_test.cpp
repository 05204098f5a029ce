#include "models/huggingface_mixture.hpp"

#include <gtest/gtest.h>

#include "models/huggingface.hpp"
#include "models/parameters.hpp"

namespace stepcast {
namespace {

Transformer parse(const std::string& text) {
  const JsonReader reader("config.json", text);
  Transformer model = parse_huggingface(reader.root(), "model");
  reader.throw_if_problems();
  return model;
}

// Six layers with experts of width 32 beside an MLP of 128.
Transformer parse_small(const std::string& more) {
  return parse(R"({"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 6,
                   "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 100,
                   "num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 32, )" +
               more + "}");
}

TEST(Mixture, ReadsEveryNameOfItsFields) {
  const Transformer model = parse(
      R"({"model_type": "dbrx", "d_model": 64, "n_layers": 2, "n_heads": 4, "vocab_size": 100,
          "attn_config": {"kv_n_heads": 2},
          "ffn_config": {"ffn_hidden_size": 96, "moe_num_experts": 4, "moe_top_k": 3}})");
  EXPECT_EQ(model.kv_heads, 2);
  EXPECT_EQ(model.moe, (MixtureOfExperts{.experts = 4, .experts_per_token = 3, .expert_ffn = 96}));
}

TEST(Mixture, ExpertsAreAsWideAsTheMlpWhereNotSaid) {
  const Transformer model = parse(
      R"({"model_type": "mixtral", "hidden_size": 64, "num_hidden_layers": 2,
          "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 100,
          "num_local_experts": 8, "num_experts_per_tok": 2})");
  EXPECT_EQ(model.moe->expert_ffn, 128);
}

TEST(Mixture, TakesWhatIsListedByLayer) {
  const Transformer model = parse(
      R"({"model_type": "hunyuan_v1_moe", "hidden_size": 64, "num_hidden_layers": 2,
          "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 100,
          "num_experts": 8, "moe_topk": [2, 2], "moe_intermediate_size": [32, 32],
          "num_shared_expert": [1, 1]})");
  EXPECT_EQ(model.moe, (MixtureOfExperts{.experts = 8,
                                         .experts_per_token = 2,
                                         .expert_ffn = 32,
                                         .shared_experts = 1,
                                         .shared_ffn = 32}));
}

TEST(Mixture, NoExpertsIsADenseModel) {
  EXPECT_FALSE(parse_small(R"("num_local_experts": 0)").moe);
}

TEST(Mixture, ReadsDeepSeeksPlacing) {
  const Transformer model = parse_small(R"("first_k_dense_replace": 2, "moe_layer_freq": 1)");
  EXPECT_EQ(model.moe->leading_dense_layers, 2);
  EXPECT_EQ(mixture_layers(model), 4);
}

TEST(Mixture, ReadsQwensPlacing) {
  EXPECT_EQ(mixture_layers(parse_small(R"("decoder_sparse_step": 2)")), 3);
  const Transformer leading = parse_small(R"("mlp_only_layers": [0, 1])");
  EXPECT_EQ(leading.moe->leading_dense_layers, 2);
  EXPECT_EQ(leading.not_counted, "");
}

TEST(Mixture, ReadsPlacingsWrittenLayerByLayer) {
  EXPECT_EQ(mixture_layers(parse_small(R"("moe_layer_freq": [0, 1, 1, 1, 1, 1])")), 5);
  EXPECT_EQ(
      mixture_layers(parse_small(
          R"("mlp_layer_types": ["dense", "dense", "sparse", "sparse", "sparse", "sparse"])")),
      4);
  EXPECT_EQ(mixture_layers(parse_small(R"("moe_layers_enum": "3, 4, 5")")), 3);
  EXPECT_EQ(mixture_layers(parse_small(R"("moe_layers": [1, 3, 5])")), 3);
}

TEST(Mixture, CountsUnevenPlacingsRightAndSaysSo) {
  const Transformer model = parse_small(R"("mlp_only_layers": [0, 3])");
  EXPECT_EQ(model.not_counted,
            "mixture layers are placed unevenly; they are forecast as evenly placed");
  const ParameterCount count = count_parameters(model);
  EXPECT_EQ(count.total, 2 * count.per_layer + 4 * count.per_moe_layer + count.embedding +
                             count.head + count.final_norm);
}

TEST(Mixture, ReadsSharedExperts) {
  const MixtureOfExperts deepseek = *parse_small(R"("n_shared_experts": 2)").moe;
  EXPECT_EQ(deepseek.shared_experts, 2);
  EXPECT_EQ(deepseek.shared_ffn, 64);
  EXPECT_FALSE(deepseek.shared_expert_gate);
  const MixtureOfExperts qwen = *parse_small(R"("shared_expert_intermediate_size": 96)").moe;
  EXPECT_EQ(qwen.shared_experts, 1);
  EXPECT_EQ(qwen.shared_ffn, 96);
  EXPECT_TRUE(qwen.shared_expert_gate);
}

TEST(Mixture, GivesGptOssItsBiases) {
  const Transformer model = parse(
      R"({"model_type": "gpt_oss", "hidden_size": 64, "num_hidden_layers": 2, "head_dim": 16,
          "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 100,
          "num_local_experts": 8, "num_experts_per_tok": 2})");
  EXPECT_TRUE(model.moe->router_bias && model.moe->expert_bias && model.attention_sinks);
}

// Facts of each config.json; totals of the model cards on huggingface.co. MiniMax-M2's card counts
// its routers' 62 * 256 correction biases too (228,689,764,864).
TEST(Mixture, CountsPublishedModels) {
  const std::pair<std::int64_t, const char*> models[] = {
      {131596523520,  // dbrx-base
       R"({"model_type": "dbrx", "d_model": 6144, "n_heads": 48, "n_layers": 40,
           "vocab_size": 100352, "max_seq_len": 32768, "attn_config": {"kv_n_heads": 8},
           "ffn_config": {"ffn_hidden_size": 10752, "moe_num_experts": 16, "moe_top_k": 4},
           "tie_word_embeddings": false})"},
      {14315784192,  // Qwen1.5-MoE-A2.7B
       R"({"model_type": "qwen2_moe", "hidden_size": 2048, "intermediate_size": 5632,
           "moe_intermediate_size": 1408, "shared_expert_intermediate_size": 5632,
           "num_attention_heads": 16, "num_key_value_heads": 16, "num_hidden_layers": 24,
           "num_experts": 60, "num_experts_per_tok": 4, "decoder_sparse_step": 1,
           "tie_word_embeddings": false, "vocab_size": 151936})"},
      {6919161856,  // OLMoE-1B-7B
       R"({"model_type": "olmoe", "hidden_size": 2048, "intermediate_size": 1024,
           "num_attention_heads": 16, "num_key_value_heads": 16, "num_hidden_layers": 16,
           "num_experts": 64, "num_experts_per_tok": 8, "vocab_size": 50304,
           "tie_word_embeddings": false})"},
      {400711848960,  // Llama-4-Maverick, language model
       R"({"model_type": "llama4", "text_config": {"model_type": "llama4_text",
           "hidden_size": 5120, "intermediate_size": 8192, "intermediate_size_mlp": 16384,
           "interleave_moe_layer_step": 2, "num_attention_heads": 40, "num_key_value_heads": 8,
           "head_dim": 128, "num_hidden_layers": 48, "num_local_experts": 128,
           "num_experts_per_tok": 1, "vocab_size": 202048, "use_qk_norm": true}})"},
      {228689764864 - 62 * 256,  // MiniMax-M2
       R"({"model_type": "minimax_m2", "hidden_size": 3072, "intermediate_size": 1536,
           "num_attention_heads": 48, "num_key_value_heads": 8, "head_dim": 128,
           "num_hidden_layers": 62, "num_local_experts": 256, "num_experts_per_tok": 8,
           "use_qk_norm": true, "qk_norm_type": "per_layer", "vocab_size": 200064,
           "tie_word_embeddings": false})"},
  };
  for (const auto& [total, config] : models)
    EXPECT_EQ(count_parameters(parse(config)).total, total) << config;
}

}  // namespace
}  // namespace stepcast

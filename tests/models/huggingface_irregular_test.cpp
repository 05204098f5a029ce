#include "models/huggingface_irregular.hpp"

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

std::string problems_of(const std::string& text) {
  try {
    (void)parse(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

constexpr const char* outside = R"("hidden_size": 64, "num_attention_heads": 4, "vocab_size": 100,
                                   "tie_word_embeddings": false, )";
constexpr std::int64_t embeddings_and_norm = 2 * 100 * 64 + 64;

TEST(UsualWidth, IsTheMostFrequentRealOne) {
  EXPECT_EQ(usual_width({0, 0, 0, -1, 8, 4, 8}), 8);
  EXPECT_EQ(usual_width({0, -1}), std::nullopt);
}

TEST(SearchedBlocks, AreCountedOneByOne) {
  // Block 0: one key-value head of 4 (n_heads_in_group 4), MLP 2/3 * 6 * 64 = 256.
  // Block 1: no attention; a matrix in place of the MLP. Block 2: as block 0.
  const Transformer model = parse(std::string("{") + outside +
                                  R"("model_type": "nemotron-nas", "num_hidden_layers": 3,
      "intermediate_size": null, "num_key_value_heads": null, "block_configs": [
        {"attention": {"n_heads_in_group": 4, "no_op": false}, "ffn": {"ffn_mult": 6.0}},
        {"attention": {"n_heads_in_group": null, "no_op": true},
         "ffn": {"ffn_mult": null, "replace_with_linear": true}},
        {"attention": {"n_heads_in_group": 4}, "ffn": {"ffn_mult": 6.0}}]})");
  EXPECT_EQ(model.kv_heads, 1);
  EXPECT_EQ(model.ffn, 256);
  const std::int64_t attention = 64 * (4 + 2) * 16 + 64 * 64;
  const std::int64_t mlp = 3 * 64 * 256;
  EXPECT_EQ(count_parameters(model).total,
            2 * (attention + mlp + 2 * 64) + (64 * 64 + 64) + embeddings_and_norm);
  EXPECT_EQ(model.not_counted,
            "layers differ in width; they are forecast as 3 layers of the most frequent widths (1 "
            "key-value heads, MLP 256)");
}

TEST(SearchedBlocks, MustBeOneALayer) {
  EXPECT_EQ(problems_of(std::string("{") + outside +
                        R"("model_type": "nemotron-nas", "num_hidden_layers": 2, "block_configs": [
        {"attention": {"n_heads_in_group": 4}, "ffn": {"ffn_mult": 6.0}}]})"),
            "config.json: block_configs: must have one block a layer (2), found 1");
}

TEST(ListedWidths, AreCountedOneByOne) {
  const Transformer model = parse(std::string("{") + outside +
                                  R"("model_type": "llama", "num_hidden_layers": 3,
      "num_key_value_heads": [4, 4, 2], "intermediate_size": [128, 256, 256]})");
  EXPECT_EQ(model.ffn, 256);
  const std::int64_t attention = (64 * 12 * 16 + 64 * 64) * 2 + 64 * 8 * 16 + 64 * 64;
  EXPECT_EQ(count_parameters(model).total,
            attention + 3 * 64 * (128 + 256 + 256) + 3 * 2 * 64 + embeddings_and_norm);
}

TEST(ListedWidths, LeaveNoNoteWhenEqual) {
  const Transformer model = parse(std::string("{") + outside +
                                  R"("model_type": "llama", "num_hidden_layers": 2,
      "intermediate_size": [128, 128]})");
  EXPECT_EQ(model.ffn, 128);
  EXPECT_EQ(model.not_counted, "");
}

TEST(ListedWidths, MustBeOneALayer) {
  EXPECT_EQ(problems_of(std::string("{") + outside +
                        R"("model_type": "llama", "num_hidden_layers": 2,
      "intermediate_size": [128, 128, 128]})"),
            "config.json: intermediate_size: must have one value a layer (2), found 3");
}

constexpr const char* mamba = R"("model_type": "nemotron_h", "intermediate_size": 128,
    "num_hidden_layers": 5, "num_key_value_heads": 2, "mamba_num_heads": 8, "mamba_head_dim": 16,
    "n_groups": 2, "ssm_state_size": 32, "conv_kernel": 4, "use_conv_bias": true, )";

TEST(BlockPattern, CountsEachKindOfBlock) {
  const Transformer model =
      parse(std::string("{") + outside + mamba + R"("hybrid_override_pattern": "M-M-*"})");
  EXPECT_EQ(model.layers, 2);
  const std::int64_t inner = 8 * 16, convolved = inner + 2 * 2 * 32;
  const std::int64_t mixer =
      64 * (inner + convolved + 8) + convolved * 4 + convolved + 3 * 8 + inner + inner * 64;
  const std::int64_t attention = 64 * (4 + 2 * 2) * 16 + 64 * 64;
  const std::int64_t mlp = 2 * 64 * 128;
  EXPECT_EQ(count_parameters(model).total,
            2 * mixer + attention + 2 * mlp + 5 * 64 + embeddings_and_norm);
  EXPECT_EQ(model.not_counted,
            "2 Mamba-2 and 1 attention blocks are forecast as 2 attention blocks");
}

TEST(BlockPattern, HoldsKnownLettersOnly) {
  EXPECT_EQ(
      problems_of(std::string("{") + outside + mamba + R"("hybrid_override_pattern": "M-X"})"),
      "config.json: hybrid_override_pattern: must hold only M, *, - and E, and at least one "
      "- or E");
}

TEST(LinearAttention, IsCountedAsItIs) {
  const Transformer model = parse(std::string("{") + outside +
                                  R"("model_type": "qwen3_next", "intermediate_size": 128,
      "num_hidden_layers": 4, "num_key_value_heads": 2, "head_dim": 16,
      "full_attention_interval": 4, "linear_num_key_heads": 2, "linear_key_head_dim": 8,
      "linear_num_value_heads": 4, "linear_value_head_dim": 8, "linear_conv_kernel_dim": 4})");
  const std::int64_t key = 2 * 8, value = 4 * 8;
  const std::int64_t delta_net =
      64 * (2 * key + 2 * value + 2 * 4) + (2 * key + value) * 4 + 2 * 4 + 8 + value * 64;
  const std::int64_t attention = 64 * (4 + 2 * 2) * 16 + 64 * 64 + 2 * 16;  // and QK norms
  const std::int64_t gate = 64 * 4 * 16;
  EXPECT_EQ(count_parameters(model).total,
            3 * delta_net + attention + gate + 4 * (3 * 64 * 128 + 2 * 64) + embeddings_and_norm);
  EXPECT_EQ(model.not_counted,
            "3 of 4 layers have linear attention; they are forecast with full attention");
}

// Qwen3-Next-80B-A3B, without its prediction layer; its card says 80 B.
TEST(LinearAttention, OfQwen3Next) {
  const Transformer model = parse(
      R"({"model_type": "qwen3_next", "hidden_size": 2048, "intermediate_size": 5120,
          "moe_intermediate_size": 512, "shared_expert_intermediate_size": 512,
          "num_attention_heads": 16, "num_key_value_heads": 2, "head_dim": 256,
          "num_hidden_layers": 48, "num_experts": 512, "num_experts_per_tok": 10,
          "full_attention_interval": 4, "linear_conv_kernel_dim": 4, "linear_key_head_dim": 128,
          "linear_num_key_heads": 16, "linear_num_value_heads": 32, "linear_value_head_dim": 128,
          "vocab_size": 151936, "tie_word_embeddings": false})");
  EXPECT_NEAR(static_cast<double>(count_parameters(model).total), 80e9, 0.5e9);
}

TEST(GlobalLayers, HaveHeadsOfTheirOwn) {
  const Transformer model = parse(std::string("{") + outside +
                                  R"("model_type": "gemma4_text", "intermediate_size": 128,
      "num_hidden_layers": 3, "num_key_value_heads": 2, "head_dim": 16, "global_head_dim": 32,
      "num_global_key_value_heads": 1, "attention_k_eq_v": true,
      "layer_types": ["sliding_attention", "sliding_attention", "full_attention"]})");
  const std::int64_t local = 64 * (4 + 2 * 2) * 16 + 64 * 64 + 2 * 16;
  const std::int64_t global = 64 * (4 + 1) * 32 + 4 * 32 * 64 + 2 * 32;  // keys serve as values
  EXPECT_EQ(count_parameters(model).total,
            2 * local + global + 3 * (3 * 64 * 128 + 4 * 64) + embeddings_and_norm);
}

TEST(NarrowValues, AreCountedAsTheyAre) {
  const Transformer model = parse(std::string("{") + outside +
                                  R"("model_type": "novel", "rms_norm_eps": 1e-5,
      "intermediate_size": 128, "num_hidden_layers": 2, "num_key_value_heads": 2, "head_dim": 24,
      "v_head_dim": 16})");
  const std::int64_t attention = 64 * (4 * 24 + 2 * 24 + 2 * 16) + 4 * 16 * 64;
  EXPECT_EQ(count_parameters(model).total,
            2 * (attention + 3 * 64 * 128 + 2 * 64) + embeddings_and_norm);
  EXPECT_EQ(model.not_counted, "heads have values of 16 elements; they are forecast with 24");
}

TEST(OtherLayers, AreAtLeastNamed) {
  const auto notes = [](const std::string& more) {
    return parse(std::string("{") + outside +
                 R"("model_type": "novel", "rms_norm_eps": 1e-5, "intermediate_size": 128,
                    "num_hidden_layers": 2, )" +
                 more + "}")
        .not_counted;
  };
  EXPECT_EQ(notes(R"("layer_types": ["conv", "full_attention"])"),
            "1 of 2 layers have no attention; they are forecast and counted as attention layers");
  EXPECT_EQ(notes(R"("mamba_d_state": 16)"),
            "state-space or linear-attention layers are forecast and counted as attention");
  EXPECT_EQ(notes(R"("attn_type_list": [0, 1])"),
            "state-space or linear-attention layers are forecast and counted as attention");
  EXPECT_EQ(notes(R"("attn_type_list": [1, 1])"), "");
  EXPECT_EQ(notes(R"("hidden_size_per_layer_input": 256)"),
            "what \"hidden_size_per_layer_input\" describes is not counted");
  EXPECT_EQ(notes(R"("word_embed_proj_dim": 32)"),
            "the word embedding has another width than the layers and is counted as wide");
}

}  // namespace
}  // namespace stepcast

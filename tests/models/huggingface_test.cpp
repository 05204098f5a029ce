#include "models/huggingface.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "models/load.hpp"
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

struct Published {
  const char* name;
  std::int64_t total;
  const char* config;
};

// The facts of each model's config.json, and the total that its model card on huggingface.co shows
// (for multimodal models: of the language model).
const Published gpt_like[] = {
    {"gpt2", 124439808,
     R"({"model_type": "gpt2", "n_embd": 768, "n_head": 12, "n_layer": 12, "n_positions": 1024,
         "vocab_size": 50257, "n_inner": null})"},
    {"gpt-neox-20b", 20554567680,
     R"({"model_type": "gpt_neox", "hidden_size": 6144, "num_hidden_layers": 44,
         "num_attention_heads": 64, "intermediate_size": 24576, "vocab_size": 50432,
         "layer_norm_eps": 1e-5, "rotary_pct": 0.25, "tie_word_embeddings": false})"},
    {"gpt-j-6b", 6050882784,
     R"({"model_type": "gptj", "n_embd": 4096, "n_layer": 28, "n_head": 16, "n_inner": null,
         "vocab_size": 50400, "n_positions": 2048, "rotary_dim": 64,
         "tie_word_embeddings": false})"},
    {"gpt-neo-2.7b", 2651307520,
     R"({"model_type": "gpt_neo", "hidden_size": 2560, "num_layers": 32, "num_heads": 20,
         "intermediate_size": null, "max_position_embeddings": 2048, "vocab_size": 50257})"},
    {"bloom", 176247271424,
     R"({"model_type": "bloom", "n_embed": 14336, "n_layer": 70, "num_attention_heads": 112,
         "vocab_size": 250880, "seq_length": 2048, "hidden_dropout": 0.0})"},
    {"opt-6.7b", 6658473984,
     R"({"model_type": "opt", "hidden_size": 4096, "num_hidden_layers": 32,
         "num_attention_heads": 32, "ffn_dim": 16384, "vocab_size": 50272,
         "max_position_embeddings": 2048, "word_embed_proj_dim": 4096, "dropout": 0.1})"},
    {"falcon-7b", 6921720704,
     R"({"model_type": "falcon", "alibi": false, "bias": false, "hidden_size": 4544,
         "multi_query": true, "new_decoder_architecture": false, "num_attention_heads": 71,
         "num_hidden_layers": 32, "parallel_attn": true, "vocab_size": 65024})"},
    {"falcon-40b", 41303293952,
     R"({"model_type": "falcon", "alibi": false, "bias": false, "hidden_size": 8192,
         "new_decoder_architecture": true, "num_attention_heads": 128, "num_hidden_layers": 60,
         "num_kv_heads": 8, "parallel_attn": true, "vocab_size": 65024})"},
    {"phi-2", 2779683840,
     R"({"model_type": "phi", "hidden_size": 2560, "num_hidden_layers": 32,
         "num_attention_heads": 32, "num_key_value_heads": 32, "intermediate_size": 10240,
         "vocab_size": 51200, "hidden_act": "gelu_new", "qk_layernorm": false,
         "tie_word_embeddings": false, "resid_pdrop": 0.1})"},
    {"mpt-7b", 6649286656,
     R"({"model_type": "mpt", "d_model": 4096, "n_heads": 32, "n_layers": 32,
         "expansion_ratio": 4, "vocab_size": 50432, "max_seq_len": 2048, "no_bias": true,
         "attn_config": {"alibi": true, "attn_pdrop": 0}})"},
    {"starcoder", 15517456384,
     R"({"model_type": "gpt_bigcode", "n_embd": 6144, "n_head": 48, "n_inner": 24576,
         "n_layer": 40, "n_positions": 8192, "vocab_size": 49152, "multi_query": true})"},
    {"starcoder2-7b", 7173923840,
     R"({"model_type": "starcoder2", "hidden_size": 4608, "num_hidden_layers": 32,
         "num_attention_heads": 36, "num_key_value_heads": 4, "intermediate_size": 18432,
         "vocab_size": 49152, "use_bias": true, "norm_epsilon": 1e-5})"},
};

const Published llama_like[] = {
    {"olmo-7b", 6888095744,
     R"({"model_type": "olmo", "hidden_size": 4096, "num_hidden_layers": 32,
         "num_attention_heads": 32, "intermediate_size": 11008, "vocab_size": 50304,
         "tie_word_embeddings": false})"},
    {"olmo-2-7b", 7298617344,
     R"({"model_type": "olmo2", "hidden_size": 4096, "num_hidden_layers": 32,
         "num_attention_heads": 32, "num_key_value_heads": 32, "intermediate_size": 11008,
         "vocab_size": 100352, "tie_word_embeddings": false, "attention_bias": false})"},
    {"gemma-7b", 8537680896,
     R"({"model_type": "gemma", "hidden_size": 3072, "num_hidden_layers": 28,
         "num_attention_heads": 16, "num_key_value_heads": 16, "head_dim": 256,
         "intermediate_size": 24576, "vocab_size": 256000, "hidden_act": "gelu"})"},
    {"gemma-3-4b", 3880263168,
     R"({"model_type": "gemma3", "vision_config": {"hidden_size": 1152},
         "text_config": {"model_type": "gemma3_text", "hidden_size": 2560,
                         "intermediate_size": 10240, "num_hidden_layers": 34,
                         "sliding_window": 1024}})"},
    {"chatglm3-6b", 6243584000,
     R"({"model_type": "chatglm", "add_bias_linear": false, "add_qkv_bias": true,
         "ffn_hidden_size": 13696, "hidden_size": 4096, "kv_channels": 128,
         "multi_query_attention": true, "multi_query_group_num": 2, "num_attention_heads": 32,
         "num_layers": 28, "padded_vocab_size": 65024, "tie_word_embeddings": false})"},
    {"c4ai-command-r-v01", 34980831232,
     R"({"model_type": "cohere", "hidden_size": 8192, "intermediate_size": 22528,
         "num_attention_heads": 64, "num_key_value_heads": 64, "num_hidden_layers": 40,
         "vocab_size": 256000, "layer_norm_eps": 1e-5, "attention_bias": false})"},
    {"c4ai-command-r-plus", 103810674688,
     R"({"model_type": "cohere", "hidden_size": 12288, "intermediate_size": 33792,
         "num_attention_heads": 96, "num_key_value_heads": 8, "num_hidden_layers": 64,
         "vocab_size": 256000, "use_qk_norm": true})"},
    {"stablelm-2-1_6b", 1644515328,
     R"({"model_type": "stablelm", "hidden_size": 2048, "intermediate_size": 5632,
         "num_attention_heads": 32, "num_key_value_heads": 32, "num_hidden_layers": 24,
         "vocab_size": 100352, "use_qkv_bias": true, "use_parallel_residual": false,
         "tie_word_embeddings": false})"},
    {"qwen-7b", 7721324544,
     R"({"model_type": "qwen", "hidden_size": 4096, "intermediate_size": 22016,
         "num_attention_heads": 32, "num_hidden_layers": 32, "vocab_size": 151936,
         "kv_channels": 128, "no_bias": true, "tie_word_embeddings": false})"},
    {"seed-oss-36b", 36151104512,
     R"({"model_type": "seed_oss", "attention_bias": true, "attention_out_bias": false,
         "hidden_size": 5120, "intermediate_size": 27648, "head_dim": 128,
         "num_attention_heads": 80, "num_key_value_heads": 8, "num_hidden_layers": 64,
         "vocab_size": 155136, "mlp_bias": false, "tie_word_embeddings": false})"},
};

void expect_published(const Published& model) {
  EXPECT_EQ(count_parameters(parse(model.config)).total, model.total) << model.name;
}

TEST(HuggingFace, CountsModelsBuiltLikeGpt) {
  for (const Published& model : gpt_like) expect_published(model);
}

TEST(HuggingFace, CountsModelsBuiltLikeLlama) {
  for (const Published& model : llama_like) expect_published(model);
}

TEST(HuggingFace, ReadsWhatGpt2LeavesOut) {
  const Transformer model = parse(gpt_like[0].config);
  EXPECT_EQ(model.ffn, 4 * 768);
  EXPECT_EQ(model.max_positions, 1024);
  EXPECT_TRUE(model.tied_embeddings);
  EXPECT_FALSE(model.gated_mlp);
  EXPECT_EQ(model.norm, NormKind::layer_norm);
  EXPECT_EQ(model.hidden_dropout, 0.1);
}

constexpr const char* small = R"("hidden_size": 64, "num_hidden_layers": 2,
    "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 100)";

Transformer parse_small(const std::string& more) {
  return parse(std::string("{") + small + ", " + more + "}");
}

std::string problems_of_small(const std::string& more) {
  return problems_of(std::string("{") + small + ", " + more + "}");
}

TEST(HuggingFace, KnowsAttentionBiasOfEachFamily) {
  const Transformer llama = parse_small(R"("model_type": "llama", "attention_bias": true)");
  EXPECT_TRUE(llama.qkv_bias && llama.attention_output_bias);
  const Transformer qwen2 = parse_small(R"("model_type": "qwen2")");
  EXPECT_TRUE(qwen2.qkv_bias && !qwen2.attention_output_bias);
  const Transformer glm = parse_small(R"("model_type": "glm4_moe", "attention_bias": true)");
  EXPECT_TRUE(glm.qkv_bias && !glm.attention_output_bias);
}

TEST(HuggingFace, TiesAsTheFileSaysElseAsTheFamily) {
  EXPECT_FALSE(parse_small(R"("model_type": "llama")").tied_embeddings);
  EXPECT_TRUE(parse_small(R"("model_type": "llama", "tie_word_embeddings": true)").tied_embeddings);
  EXPECT_TRUE(parse_small(R"("model_type": "gemma2")").tied_embeddings);
  const std::string nested = std::string("{\"tie_word_embeddings\": true, \"text_config\": {") +
                             small + ", \"model_type\": \"llama\"}}";
  EXPECT_TRUE(parse(nested).tied_embeddings);
}

TEST(HuggingFace, UsesTheSlidingWindowUnlessSwitchedOff) {
  EXPECT_EQ(parse_small(R"("model_type": "mistral", "sliding_window": 32)").sliding_window, 32);
  EXPECT_EQ(parse_small(R"("model_type": "qwen2", "sliding_window": 32,
                           "use_sliding_window": false)")
                .sliding_window,
            0);
}

TEST(HuggingFace, GuessesAnUnknownTypeFromItsFields) {
  const Transformer modern = parse_small(R"("model_type": "novel", "rms_norm_eps": 1e-5)");
  EXPECT_TRUE(modern.gated_mlp && modern.norm == NormKind::rms_norm && !modern.qkv_bias);
  const Transformer old = parse_small(R"("layer_norm_epsilon": 1e-5, "n_positions": 32)");
  EXPECT_TRUE(!old.gated_mlp && old.norm == NormKind::layer_norm && old.qkv_bias);
  EXPECT_EQ(old.position, PositionKind::learned);
  EXPECT_EQ(old.max_positions, 32);
}

TEST(HuggingFace, NamesPartsThatAreNotCounted) {
  const std::string text =
      std::string("{\"vision_config\": {}, \"audio_config\": {}, \"text_config\": {") + small +
      R"(, "model_type": "llama", "num_nextn_predict_layers": 2}})";
  EXPECT_EQ(parse(text).not_counted,
            "2 multi-token prediction layers are not counted; the vision tower is not counted; the "
            "audio tower is not counted");
}

TEST(HuggingFace, ReadsLatentAttention) {
  const Transformer model = parse_small(
      R"("model_type": "deepseek_v2", "q_lora_rank": null, "kv_lora_rank": 16,
         "qk_nope_head_dim": 8, "qk_rope_head_dim": 4, "v_head_dim": 6, "head_dim": 4)");
  ASSERT_TRUE(model.latent_attention);
  EXPECT_EQ(model.latent_attention->q_lora_rank, 0);
  EXPECT_EQ(model.latent_attention->v_head_dim, 6);
  EXPECT_EQ(model.head_dim, 12);  // not the file's head_dim, which is the rotary part
}

TEST(HuggingFace, SaysWhatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {R"("model_type": "t5")",
       "config.json: model_type: must be a decoder-only transformer, found \"t5\""},
      {R"("is_encoder_decoder": true)",
       "config.json: is_encoder_decoder: must be false (only decoder-only transformers can be "
       "forecast), found true"},
      {R"("num_key_value_heads": 3)",
       "config.json: num_key_value_heads: must divide the 4 attention heads, found 3"},
      {R"("num_local_experts": 4, "num_experts_per_tok": 5)",
       "config.json: num_experts_per_tok: must be <= the 4 experts, found 5"},
      {R"("num_local_experts": 4)",
       "config.json: num_experts_per_tok: missing (also known as experts_per_token, "
       "num_experts_per_token, moe_top_k)"},
      {R"("resid_pdrop": 1)", "config.json: resid_pdrop: must be >= 0 and < 1"},
      {R"("attention_bias": "no")",
       "config.json: attention_bias: must be true or false, found \"no\""},
      {R"("kv_lora_rank": 16)",
       "config.json: qk_nope_head_dim: missing\nconfig.json: v_head_dim: missing"},
  };
  for (const auto& [more, problem] : cases)

    EXPECT_EQ(problems_of_small(std::string(R"("rms_norm_eps": 1e-5, )") + more), problem);
  EXPECT_EQ(problems_of(R"({"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2,
                            "n_head": 5, "intermediate_size": 128, "vocab_size": 100})"),
            "config.json: n_head: must divide hidden_size (64), found 5");
  EXPECT_EQ(problems_of(R"({"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2,
                            "num_attention_heads": 4, "vocab_size": 100, "num_experts": 0})"),
            "config.json: intermediate_size: missing (also known as n_inner, ffn_hidden_size, "
            "ffn_config.ffn_hidden_size)");
}

TEST(HuggingFace, SurvivesHugeNumbers) {
  for (const char* key :
       {"hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size",
        "vocab_size", "num_key_value_heads", "head_dim", "num_local_experts", "num_experts_per_tok",
        "moe_intermediate_size", "n_shared_experts", "kv_lora_rank", "expansion_ratio",
        "max_position_embeddings"}) {
    for (const std::int64_t huge : {std::int64_t{1} << 29, std::int64_t{1} << 62}) {
      nlohmann::json document = nlohmann::json::parse(std::string("{") + small + "}");
      for (const char* other : {"num_local_experts", "num_experts_per_tok", "n_shared_experts"})
        document[other] = 2;
      for (const char* other : {"qk_nope_head_dim", "v_head_dim"}) document[other] = 8;
      document[key] = huge;
      EXPECT_NE(problems_of(document.dump()), "") << key;
    }
  }
}

// Totals beside those of the presets: Qwen3.5 35 B and 3 B active; MiMo 7.83 B with its prediction
// layer of 0.21 B; Gemma 4 25.2 B and 3.8 B; Nemotron NAS 49.9 B; Nemotron 3 Nano 31.6 B and 3.6 B;
// GLM-5 744 B and 40 B; Kimi K2.5 1 T and 32 B (their model cards).
TEST(FieldFiles, LoadWithThePublishedTotals) {
  const std::filesystem::path folder = STEPCAST_SOURCE_DIR "/../shared/data/field_files/hf_config";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "field_files/hf_config is not there";
  const std::map<std::string, std::int64_t> totals{
      {"Qwen--Qwen3-235B-A22B", 235093634560},
      {"Qwen--Qwen3-30B-A3B", 30532122624},
      {"Qwen--Qwen3-VL-30B-A3B-Instruct", 30532122624},
      {"deepseek-ai--DeepSeek-V3", 671026404352},
      {"meta-llama--Meta-Llama-3.1-405B", 405853388800},
      {"meta-llama--Meta-Llama-3.1-70B", 70553706496},
      {"meta-llama--Meta-Llama-3.1-8B", 8030261248},
      {"nvidia--Llama-3_3-Nemotron-Super-49B-v1", 49867145216},
      {"nvidia--NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", 31577937344},
      {"openai--gpt-oss-120b", 116829156672},
      {"openai--gpt-oss-20b", 20914757184},
      {"openai-community--gpt2", 124439808},
      // 7,833,409,536 less one layer (193,996,800), its projection of 2h to h and three norms.
      {"XiaomiMiMo--MiMo-7B-Base", 7622619136},
  };
  const std::map<std::string, std::pair<double, double>> billions{
      {"Qwen--Qwen3.5-35B-A3B", {35, 3}},
      {"google--gemma-4-26B-A4B", {25.2, 3.8}},
      {"zai-org--GLM-5", {744, 40}},
      {"moonshotai--Kimi-K2.5", {1026, 32}},
      {"nvidia--Nemotron-H-56B-Base-8K", {56.3, 56.3}},
  };
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const Transformer model = load_model(entry.path().string());
    const ParameterCount count = count_parameters(model);
    if (totals.contains(model.name)) {
      EXPECT_EQ(count.total, totals.at(model.name)) << model.name;
    }
    if (!billions.contains(model.name)) continue;
    const auto [total, active] = billions.at(model.name);
    EXPECT_NEAR(static_cast<double>(count.total) / 1e9, total, 0.02 * total) << model.name;
    EXPECT_NEAR(static_cast<double>(count.active) / 1e9, active, 0.16 * active) << model.name;
  }
}

}  // namespace
}  // namespace stepcast

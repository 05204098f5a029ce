#include "models/huggingface_family.hpp"

namespace stepcast {
namespace {

constexpr NormKind layer_norm = NormKind::layer_norm;
constexpr PositionKind learned = PositionKind::learned;

// Sources: huggingface/transformers src/transformers/models/<type>/{configuration,modeling}_*.py;
// mosaicml/llm-foundry (mpt), databricks/dbrx, THUDM/ChatGLM3, QwenLM/Qwen, XiaomiMiMo/MiMo,
// MiniMax-AI/MiniMax-M2 and nvidia/Llama-3_3-Nemotron-Super (modeling files beside the weights).
// A layer norm without shift (Cohere, MPT, DBRX) is written as rms_norm: it has the same weights.

std::vector<Family> families_with_learned_positions() {
  return {
      {.type = "gpt2",
       .norm = layer_norm,
       .position = learned,
       .mlp = MlpKind::plain,
       .tied = true,
       .attention_biases = Biases::all,
       .mlp_bias = true,
       .dropout = 0.1,
       .wide_ffn = true},
      {.type = "gpt_bigcode",
       .norm = layer_norm,
       .position = learned,
       .mlp = MlpKind::plain,
       .tied = true,
       .attention_biases = Biases::all,
       .mlp_bias = true,
       .dropout = 0.1,
       .wide_ffn = true,
       .multi_query = true},
      {.type = "openai-gpt",
       .norm = layer_norm,
       .position = learned,
       .mlp = MlpKind::plain,
       .tied = true,
       .attention_biases = Biases::all,
       .mlp_bias = true,
       .dropout = 0.1,
       .wide_ffn = true},
      {.type = "gpt_neo",
       .norm = layer_norm,
       .position = learned,
       .mlp = MlpKind::plain,
       .tied = true,
       .attention_biases = Biases::output_only,
       .mlp_bias = true,
       .wide_ffn = true},
      {.type = "opt",
       .norm = layer_norm,
       .position = learned,
       .mlp = MlpKind::plain,
       .tied = true,
       .attention_biases = Biases::all,
       .mlp_bias = true,
       .position_offset = 2},
  };
}

// Layer norms or an MLP without gate.
std::vector<Family> other_gpt_families() {
  return {
      {.type = "gpt_neox",
       .norm = layer_norm,
       .mlp = MlpKind::plain,
       .attention_biases = Biases::all,
       .mlp_bias = true,
       .wide_ffn = true},
      {.type = "gptj",
       .norm = layer_norm,
       .mlp = MlpKind::plain,
       .mlp_bias = true,
       .head_bias = true,
       .norms_per_layer = 1,
       .wide_ffn = true},
      {.type = "codegen",
       .norm = layer_norm,
       .mlp = MlpKind::plain,
       .mlp_bias = true,
       .head_bias = true,
       .norms_per_layer = 1,
       .wide_ffn = true},
      {.type = "bloom",
       .norm = layer_norm,
       .position = PositionKind::alibi,
       .mlp = MlpKind::plain,
       .tied = true,
       .attention_biases = Biases::all,
       .mlp_bias = true,
       .wide_ffn = true,
       .embedding_norm = true},
      {.type = "falcon",
       .norm = layer_norm,
       .mlp = MlpKind::plain,
       .tied = true,
       .norms_per_layer = 1,
       .wide_ffn = true,
       .multi_query = true},
      {.type = "falcon_h1", .mlp = MlpKind::gated},
      {.type = "mpt",
       .position = PositionKind::alibi,
       .mlp = MlpKind::plain,
       .tied = true,
       .wide_ffn = true},
      {.type = "persimmon",
       .norm = layer_norm,
       .mlp = MlpKind::plain,
       .attention_biases = Biases::all,
       .mlp_bias = true,
       .qk_norm = QkNorm::per_head},
      {.type = "phi",
       .norm = layer_norm,
       .mlp = MlpKind::plain,
       .attention_biases = Biases::all,
       .mlp_bias = true,
       .head_bias = true,
       .norms_per_layer = 1,
       .wide_ffn = true},
      {.type = "starcoder2",
       .norm = layer_norm,
       .mlp = MlpKind::plain,
       .tied = true,
       .attention_biases = Biases::all,
       .mlp_bias = true},
      {.type = "nemotron", .norm = layer_norm, .mlp = MlpKind::plain},
      {.type = "nemotron_h", .mlp = MlpKind::plain},
  };
}

// RMS norms and a gated MLP, or close to it.
std::vector<Family> llama_families() {
  return {
      {.type = "llama"},
      {.type = "llama4", .qk_norm_on = false},
      {.type = "nemotron-nas"},
      {.type = "mistral"},
      {.type = "ministral"},
      {.type = "mixtral"},
      {.type = "deepseek"},
      {.type = "kimi"},
      {.type = "phi3"},
      {.type = "phi4"},
      {.type = "dbrx"},
      {.type = "internlm"},
      {.type = "granite"},
      {.type = "exaone"},
      {.type = "glm_moe_dsa"},
      {.type = "smollm3", .tied = true},
      {.type = "ernie4_5", .tied = true},
      {.type = "olmo", .norms_per_layer = 0},
      {.type = "olmo2", .qk_norm = QkNorm::full_width},
      {.type = "olmo3", .qk_norm = QkNorm::full_width},
      {.type = "olmoe", .qk_norm = QkNorm::full_width},
      {.type = "exaone4", .qk_norm = QkNorm::per_head},
      {.type = "minimax_m2", .qk_norm = QkNorm::full_width},
      {.type = "qwen", .attention_biases = Biases::qkv, .attention_bias_on_output = false},
      {.type = "qwen2", .attention_biases = Biases::qkv, .attention_bias_on_output = false},
      {.type = "qwen3", .qk_norm = QkNorm::per_head},
      {.type = "mimo", .attention_biases = Biases::qkv, .attention_bias_on_output = false},
      {.type = "mimo_v2", .attention_bias_on_output = false},
      {.type = "seed_oss", .attention_biases = Biases::qkv, .attention_bias_on_output = false},
      {.type = "dots1", .qk_norm = QkNorm::per_head},
      {.type = "hunyuan", .qk_norm = QkNorm::per_head, .qk_norm_on = false},
      {.type = "chatglm", .attention_biases = Biases::qkv, .attention_bias_on_output = false},
      {.type = "glm", .attention_bias_on_output = false},
      {.type = "glm4", .attention_bias_on_output = false, .norms_per_layer = 4},
      {.type = "glm4_moe",
       .attention_bias_on_output = false,
       .qk_norm = QkNorm::per_head,
       .qk_norm_on = false},
      {.type = "gpt_oss", .attention_biases = Biases::all},
      {.type = "gemma", .tied = true},
      {.type = "gemma2", .tied = true, .norms_per_layer = 4},
      {.type = "gemma3", .tied = true, .qk_norm = QkNorm::per_head, .norms_per_layer = 4},
      {.type = "gemma4", .tied = true, .qk_norm = QkNorm::per_head, .norms_per_layer = 4},
      {.type = "cohere",
       .tied = true,
       .qk_norm = QkNorm::full_width,
       .qk_norm_on = false,
       .norms_per_layer = 1},
      {.type = "stablelm", .norm = layer_norm},
      {.type = "phimoe", .norm = layer_norm, .attention_biases = Biases::all, .head_bias = true},
  };
}

}  // namespace

const std::vector<Family>& known_families() {
  static const std::vector<Family> all = [] {
    std::vector<Family> table;
    for (auto part : {families_with_learned_positions(), other_gpt_families(), llama_families()})
      table.insert(table.end(), part.begin(), part.end());
    return table;
  }();
  return all;
}

}  // namespace stepcast

#include "models/huggingface_irregular.hpp"

#include <algorithm>

#include "models/huggingface_mixture.hpp"
#include "models/named_fields.hpp"
#include "models/parameters.hpp"

namespace stepcast {
namespace {

void add(Transformer& model, std::int64_t parameters) {
  model.irregular_parameters += parameters;
  model.irregular_active_parameters += parameters;
}

constexpr std::int64_t largest_ffn = 1 << 24;
constexpr std::int64_t largest_dim = 1 << 12;  // of what a mixer's shape is a product of

std::int64_t dim_of(const Node& node, const Names& names) {
  return at_most(largest_dim, count_of(node, names), node, names);
}

std::string of_layers(std::int64_t some, std::int64_t all, const std::string& what) {
  return std::to_string(some) + " of " + std::to_string(all) + " " + what;
}

bool replaced(const Node& part, std::vector<std::int64_t>& widths) {
  if (find_bool(part, {"no_op"}).value_or(false))
    widths.push_back(LayerWidths::left_out);
  else if (find_bool(part, {"replace_with_linear"}).value_or(false))
    widths.push_back(LayerWidths::one_linear);
  else
    return false;
  return true;
}

// Source: modeling_decilm.py beside nvidia/Llama-3_3-Nemotron-Super-49B-v1: 2/3 of ffn_mult *
// hidden, rounded up to a multiple of 256.
std::int64_t width_of_multiple(double ffn_mult, std::int64_t hidden) {
  const auto width = static_cast<std::int64_t>(2.0 * ffn_mult * static_cast<double>(hidden) / 3.0);
  return (width + 255) / 256 * 256;
}

void parse_searched_block(const Node& block, const Transformer& model, LayerWidths& widths) {
  const Node attention = block.at("attention");
  if (!replaced(attention, widths.kv_heads))
    widths.kv_heads.push_back(
        std::max<std::int64_t>(1, model.heads / attention.count("n_heads_in_group")));
  const Node mlp = block.at("ffn");
  if (replaced(mlp, widths.ffn)) return;
  if (mlp.has("intermediate_size"))
    return widths.ffn.push_back(
        at_most(largest_ffn, count_of(mlp, {"intermediate_size"}), mlp, {"intermediate_size"}));
  const double multiple = std::min(mlp.positive("ffn_mult"), 1e3);
  widths.ffn.push_back(
      at_most(largest_ffn, width_of_multiple(multiple, model.hidden), mlp, {"ffn_mult"}));
}

std::vector<std::int64_t> list_of(const Node& node, const Names& names, std::int64_t most,
                                  std::int64_t layers) {
  std::vector<std::int64_t> widths;
  const auto found = find_any(node, names);
  if (!found || !found->is_array()) return widths;
  for (const Node& element : found->elements()) {
    widths.push_back(std::min(element.as_count(), most));
    if (element.as_count() > most) element.problem("must be <= " + std::to_string(most));
  }
  const auto size = static_cast<std::int64_t>(widths.size());
  if (size != layers)
    found->problem("must have one value a layer (" + std::to_string(layers) + "), found " +
                   std::to_string(size));
  return widths;
}

// A part of one layer with its norm, when its width is this.
template <class Count>
std::int64_t part_parameters(const Transformer& model, std::int64_t width, Count count) {
  const std::int64_t norm = norm_parameters(model, model.hidden);
  if (width == LayerWidths::left_out) return 0;
  if (width == LayerWidths::one_linear) return model.hidden * model.hidden + norm;
  return count(width) + norm;
}

void add_width_differences(const LayerWidths& widths, Transformer& model) {
  const auto attention = [&](std::int64_t kv_heads) {
    Transformer layer = model;
    layer.kv_heads = kv_heads;
    return attention_parameters(layer);
  };
  const auto mlp = [&](std::int64_t ffn) {
    Transformer layer = model;
    layer.ffn = ffn;
    return mlp_parameters(layer);
  };
  const auto differs = [](const auto& list, std::int64_t usual) {
    return std::any_of(list.begin(), list.end(), [=](std::int64_t w) { return w != usual; });
  };
  if (!differs(widths.kv_heads, model.kv_heads) && !differs(widths.ffn, model.ffn)) return;
  const Transformer usual = model;
  for (const std::int64_t width : widths.kv_heads)
    add(model, part_parameters(usual, width, attention) -
                   part_parameters(usual, usual.kv_heads, attention));
  for (const std::int64_t width : widths.ffn)
    add(model, part_parameters(usual, width, mlp) - part_parameters(usual, usual.ffn, mlp));
  note(model, "layers differ in width; they are forecast as " + std::to_string(model.layers) +
                  " layers of the most frequent widths (" + std::to_string(model.kv_heads) +
                  " key-value heads, MLP " + std::to_string(model.ffn) + ")");
}

// One Mamba-2 mixer. Source: modeling_nemotron_h.py NemotronHMamba2Mixer.
std::int64_t mamba_parameters(const Node& node, std::int64_t hidden) {
  const std::int64_t heads = dim_of(node, {"mamba_num_heads"});
  const std::int64_t inner = heads * dim_of(node, {"mamba_head_dim"});
  const std::int64_t groups = dim_of(node, {"n_groups", "mamba_n_groups"});
  const std::int64_t state = dim_of(node, {"ssm_state_size", "mamba_d_state"});
  const std::int64_t convolved = inner + 2 * groups * state;
  const std::int64_t kernel = dim_of(node, {"conv_kernel", "mamba_d_conv"});
  const std::int64_t conv_bias = find_bool(node, {"use_conv_bias"}).value_or(true) ? convolved : 0;
  const std::int64_t projection_bias =
      find_bool(node, {"mamba_proj_bias", "use_bias"}).value_or(false)
          ? inner + convolved + heads + hidden
          : 0;
  return hidden * (inner + convolved + heads) + convolved * kernel + conv_bias + 3 * heads + inner +
         inner * hidden + projection_bias;  // A, D, dt; norm; output
}

void add_block_pattern(const Node& node, const BlockPattern& pattern, Transformer& model) {
  // Uniform layers hold layers * (attention + norm) in place of the Mamba and attention blocks.
  const std::int64_t norm = norm_parameters(model, model.hidden);
  const std::int64_t attention = attention_parameters(model) + norm;
  const std::int64_t mamba = mamba_parameters(node, model.hidden) + norm;
  add(model, pattern.mamba * mamba + (pattern.attention - model.layers) * attention);
  note(model, std::to_string(pattern.mamba) + " Mamba-2 and " + std::to_string(pattern.attention) +
                  " attention blocks are forecast as " + std::to_string(model.layers) +
                  " attention blocks");
}

// Gated delta net. Source: transformers modeling_qwen3_next.py Qwen3NextGatedDeltaNet.
std::int64_t delta_net_parameters(const Node& node, std::int64_t hidden) {
  const std::int64_t value_heads = dim_of(node, {"linear_num_value_heads"});
  const std::int64_t value_head_dim = dim_of(node, {"linear_value_head_dim"});
  const std::int64_t value = value_heads * value_head_dim;
  const std::int64_t key =
      dim_of(node, {"linear_num_key_heads"}) * dim_of(node, {"linear_key_head_dim"});
  const std::int64_t kernel = dim_of(node, {"linear_conv_kernel_dim"});
  return hidden * (2 * key + 2 * value + 2 * value_heads) + (2 * key + value) * kernel +
         2 * value_heads + value_head_dim + value * hidden;
}

std::int64_t linear_layers(const Node& node, std::int64_t layers) {
  const auto types = texts_of(node, {"layer_types"});
  if (!types.empty()) return std::count(types.begin(), types.end(), "linear_attention");
  const std::int64_t interval = find_count(node, {"full_attention_interval"}).value_or(4);
  return layers - layers / interval;
}

void add_linear_attention(const Node& node, Transformer& model) {
  const std::int64_t linear = std::min(linear_layers(node, model.layers), model.layers);
  // Full attention has a gate as wide as its queries, computed with them.
  const bool gated = find_bool(node, {"attn_output_gate"}).value_or(true);
  const std::int64_t gate = gated ? model.hidden * model.heads * model.head_dim : 0;
  add(model, linear * (delta_net_parameters(node, model.hidden) - attention_parameters(model)) +
                 (model.layers - linear) * gate);
  note(model, of_layers(linear, model.layers,
                        "layers have linear attention; they are forecast "
                        "with full attention"));
}

// Gemma 4: the full-attention layers have heads of their own; a mixture layer has three more norms
// and two scales in its router. Source: transformers modeling_gemma4.py.
void add_global_layers(const Node& node, Transformer& model) {
  const auto types = texts_of(node, {"layer_types"});
  const std::int64_t global = std::count(types.begin(), types.end(), "full_attention");
  Transformer layer = model;
  layer.head_dim = dim_of(node, {"global_head_dim"});
  const Names kv_heads{"num_global_key_value_heads"};
  layer.kv_heads = node.has(kv_heads.front()) ? dim_of(node, kv_heads) : model.kv_heads;
  const bool shared = find_bool(node, {"attention_k_eq_v"}).value_or(false);
  const std::int64_t values = shared ? model.hidden * layer.kv_heads * layer.head_dim : 0;
  add(model, global * (attention_parameters(layer) - values - attention_parameters(model)));
  if (model.moe) add(model, mixture_layers(model) * (4 * model.hidden + model.moe->experts));
  note(model, of_layers(global, model.layers,
                        "layers have global attention with " + std::to_string(layer.head_dim) +
                            " elements a head; they are forecast like the "
                            "others"));
}

// Values narrower than keys, outside latent attention.
void add_narrow_values(const Node& node, Transformer& model) {
  if (model.latent_attention || !node.has("v_head_dim")) return;
  const std::int64_t difference = dim_of(node, {"v_head_dim"}) - model.head_dim;
  if (difference == 0) return;
  add(model, model.layers * difference * model.hidden * (model.kv_heads + model.heads));
  note(model, "heads have values of " + std::to_string(model.head_dim + difference) +
                  " elements; they are forecast with " + std::to_string(model.head_dim));
}

// MiniMax: 1 is softmax attention, 0 linear attention.
bool has_linear_types(const Node& node) {
  const auto types = integers_of(node, {"attn_type_list"});
  return std::find(types.begin(), types.end(), 0) != types.end();
}

// What has no count of its own here is at least named.
void note_other_layers(const Node& node, Transformer& model) {
  const auto types = texts_of(node, {"layer_types", "layers_block_type"});
  const auto odd = std::count_if(types.begin(), types.end(), [](const std::string& type) {
    return type.find("attention") == std::string::npos || type == "linear_attention";
  });
  if (odd > 0)
    note(model, of_layers(odd, model.layers,
                          "layers have no attention; they are forecast and "
                          "counted as attention layers"));
  else if (find_any(node, {"mamba_d_state", "ssm_state_size", "linear_attn_config", "ssm_cfg",
                           "hybrid_layer_ids"}) ||
           has_linear_types(node))
    note(model, "state-space or linear-attention layers are forecast and counted as attention");
  for (const char* key : {"hidden_size_per_layer_input", "altup_num_inputs", "laurel_rank",
                          "swa_num_key_value_heads", "zero_expert_num"})
    if (whole_of(node, {key}) > 0)
      note(model, std::string("what \"") + key + "\" describes is not counted");
  if (find_count(node, {"word_embed_proj_dim"}).value_or(model.hidden) != model.hidden)
    note(model, "the word embedding has another width than the layers and is counted as wide");
}

}  // namespace

LayerWidths parse_layer_widths(const Node& node, const Transformer& model) {
  LayerWidths widths;
  if (const auto blocks = node.find("block_configs")) {
    for (const Node& block : blocks->elements()) parse_searched_block(block, model, widths);
    if (static_cast<std::int64_t>(widths.ffn.size()) != model.layers)
      blocks->problem("must have one block a layer (" + std::to_string(model.layers) + "), found " +
                      std::to_string(widths.ffn.size()));
    return widths;
  }
  Names kv_heads{"num_key_value_heads_per_layer"};
  kv_heads.insert(kv_heads.end(), names::kv_heads.begin(), names::kv_heads.end());
  widths.kv_heads = list_of(node, kv_heads, largest_dim, model.layers);
  widths.ffn = list_of(node, names::ffn, largest_ffn, model.layers);
  return widths;
}

std::optional<std::int64_t> usual_width(const std::vector<std::int64_t>& widths) {
  std::vector<std::int64_t> real;
  for (const std::int64_t width : widths)
    if (width > 0) real.push_back(width);
  if (real.empty()) return std::nullopt;
  return most_frequent(real);
}

std::optional<BlockPattern> parse_block_pattern(const Node& node) {
  const auto found = node.find("hybrid_override_pattern");
  if (!found) return std::nullopt;
  const std::string text = found->as_text();
  const auto count = [&](char letter) { return std::count(text.begin(), text.end(), letter); };
  BlockPattern pattern{count('M'), count('*'), count('-'), count('E')};
  if (pattern.mamba + pattern.attention + pattern.mlp + pattern.mixture !=
          static_cast<std::int64_t>(text.size()) ||
      pattern.mlp + pattern.mixture == 0)
    found->problem("must hold only M, *, - and E, and at least one - or E");
  return pattern;
}

void add_irregular_layers(const Node& node, const LayerWidths& widths,
                          const std::optional<BlockPattern>& pattern, Transformer& model) {
  add_width_differences(widths, model);
  if (pattern) return add_block_pattern(node, *pattern, model);
  if (node.has("linear_num_value_heads")) return add_linear_attention(node, model);
  if (node.has("global_head_dim") && node.has("layer_types")) add_global_layers(node, model);
  add_narrow_values(node, model);
  note_other_layers(node, model);
}

}  // namespace stepcast

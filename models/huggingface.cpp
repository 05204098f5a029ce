#include "models/huggingface.hpp"

#include <algorithm>

#include "models/huggingface_family.hpp"
#include "models/huggingface_irregular.hpp"
#include "models/huggingface_mixture.hpp"
#include "models/model_check.hpp"
#include "models/named_fields.hpp"

namespace stepcast {
namespace {

// The part of a multimodal document that describes the language model.
Node language_model(const Node& document) {
  for (const char* key : {"thinker_config", "text_config", "llm_config", "language_config"})
    if (const auto inner = document.find(key); inner && inner->is_object())
      return language_model(*inner);
  return document;
}

class Reader {
 public:
  Reader(const Node& document, const Node& node)
      : document_(document), node_(node), family_(family_of(node, model_type())) {}

  Transformer read() {
    model_.gated_mlp = family_.mlp == MlpKind::gated;
    model_.norm = family_.norm;
    refuse_other_architectures();
    read_size();
    read_attention();
    read_mlp();
    read_switches();
    read_positions();
    read_norms();
    check_model(node_, model_, keys());
    parse_experts(node_, model_);
    read_gpt_oss();
    check_model(node_, model_, keys());
    parse_placing(node_, model_);
    add_irregular_layers(node_, widths_, pattern_, model_);
    note_other_parts();
    return model_;
  }

 private:
  [[nodiscard]] std::string model_type() const {
    const std::string inner = text_of(node_, {"model_type"});
    return inner.empty() ? text_of(document_, {"model_type"}) : inner;
  }

  void refuse_other_architectures() {
    if (is_other_architecture(model_type()))
      node_.problem("model_type",
                    "must be a decoder-only transformer, found \"" + model_type() + "\"");
    if (find_bool(node_, {"is_encoder_decoder"}).value_or(false))
      node_.problem("is_encoder_decoder",
                    "must be false (only decoder-only transformers can be "
                    "forecast), found true");
  }

  void read_size() {
    pattern_ = parse_block_pattern(node_);
    model_.hidden = count_of(node_, names::hidden);
    model_.heads = count_of(node_, names::heads, gemma3_default(8));
    model_.vocabulary = count_of(node_, names::vocabulary, gemma3_default(262208));
    model_.layers = pattern_ ? std::max<std::int64_t>(1, pattern_->mlp + pattern_->mixture)
                             : count_of(node_, names::layers);
    if (!pattern_) widths_ = parse_layer_widths(node_, model_);
  }

  // Gemma 3's multimodal files leave out what Gemma3TextConfig has as defaults.
  [[nodiscard]] std::optional<std::int64_t> gemma3_default(std::int64_t value) const {
    return family_.type == "gemma3" ? std::optional(value) : std::nullopt;
  }

  void read_attention() {
    if (node_.has("kv_lora_rank")) return read_latent_attention();
    model_.kv_heads = kv_heads();
    const auto head_dim = find_count(node_, names::head_dim);
    if (head_dim || gemma3_default(256)) {
      model_.head_dim = head_dim.value_or(256);
      return;
    }
    if (model_.hidden % model_.heads != 0)
      node_.problem(name_found(node_, names::heads),
                    "must divide " + name_found(node_, names::hidden) + " (" +
                        std::to_string(model_.hidden) + "), found " + std::to_string(model_.heads));
    model_.head_dim = std::max<std::int64_t>(1, model_.hidden / model_.heads);
  }

  [[nodiscard]] std::int64_t kv_heads() const {
    if (const auto usual = usual_width(widths_.kv_heads)) return *usual;
    const bool grouped = find_bool(node_, {"new_decoder_architecture"}).value_or(true);
    const auto multi_query = find_bool(node_, {"multi_query"});
    const auto count = find_count(node_, names::kv_heads);
    if (count && grouped) return *count;
    if (multi_query.value_or(family_.multi_query)) return 1;
    return gemma3_default(4).value_or(model_.heads);
  }

  void read_latent_attention() {
    LatentAttention latent;
    latent.q_lora_rank = whole_of(node_, {"q_lora_rank"});
    latent.kv_lora_rank = count_of(node_, {"kv_lora_rank"});
    latent.qk_nope_head_dim = count_of(node_, {"qk_nope_head_dim"});
    latent.qk_rope_head_dim = whole_of(node_, {"qk_rope_head_dim"});
    latent.v_head_dim = count_of(node_, {"v_head_dim"});
    latent.index_heads = whole_of(node_, {"index_n_heads"});
    latent.index_head_dim = whole_of(node_, {"index_head_dim"});
    model_.latent_attention = latent;
    model_.kv_heads = model_.heads;
    model_.head_dim = latent.qk_nope_head_dim + latent.qk_rope_head_dim;
    if (latent.index_heads > 0)
      note(model_, "sparse attention is forecast as full attention, without its index scores");
  }

  void read_mlp() {
    const auto experts = find_any(node_, names::experts);
    const bool has_experts =
        experts && (experts->is_array() || whole_of(node_, names::experts) > 0);
    if (const auto usual = usual_width(widths_.ffn)) {
      model_.ffn = *usual;
    } else if (const auto ratio = find_count(node_, {"expansion_ratio"})) {
      model_.ffn = *ratio * model_.hidden;
    } else if (find_any(node_, names::ffn) || !(family_.wide_ffn || has_experts)) {
      model_.ffn = count_of(node_, names::ffn);
    } else if (family_.wide_ffn) {
      model_.ffn = 4 * model_.hidden;
    }
    if (family_.type == "qwen") model_.ffn /= 2;  // the first Qwen's width counts gate and up
  }

  void read_switches() {
    const Biases biases = family_.attention_biases;
    model_.qkv_bias = biases == Biases::all || biases == Biases::qkv;
    model_.attention_output_bias = biases == Biases::all || biases == Biases::output_only;
    model_.mlp_bias = family_.mlp_bias;
    auto all = find_bool(node_, {"use_bias", "bias", "add_bias_linear", "enable_bias"});
    if (const auto none = find_bool(node_, {"no_bias"}); none && family_.type != "qwen")
      all = !*none;
    if (all) model_.qkv_bias = model_.attention_output_bias = model_.mlp_bias = *all;
    if (const auto attention = find_bool(node_, {"attention_bias"})) {
      model_.qkv_bias = *attention;
      model_.attention_output_bias = *attention && family_.attention_bias_on_output;
    }
    model_.qkv_bias =
        find_bool(node_, {"add_qkv_bias", "use_qkv_bias", "qkv_bias"}).value_or(model_.qkv_bias);
    model_.attention_output_bias =
        find_bool(node_, {"attention_out_bias"}).value_or(model_.attention_output_bias);
    model_.mlp_bias = find_bool(node_, {"mlp_bias"}).value_or(model_.mlp_bias);
    model_.head_bias = find_bool(node_, {"lm_head_bias"}).value_or(family_.head_bias);
    const auto tied = find_bool(node_, {"tie_word_embeddings"});
    model_.tied_embeddings =
        tied ? *tied : find_bool(document_, {"tie_word_embeddings"}).value_or(family_.tied);
    if (family_.type == "llama4") return;  // its QK norm has no weights
    const bool by_default = family_.qk_norm != QkNorm::none && family_.qk_norm_on;
    model_.qk_norm = find_bool(node_, {"use_qk_norm", "qk_norm", "qk_layernorm", "add_qk_norm"})
                         .value_or(by_default);
    model_.qk_norm_full_width = model_.qk_norm && (family_.qk_norm == QkNorm::full_width ||
                                                   text_of(node_, {"qk_norm_type"}) == "per_layer");
  }

  void read_positions() {
    model_.position = family_.position;
    const std::string kind = text_of(node_, {"position_embedding_type"});
    const auto alibi = find_bool(node_, {"alibi", "attn_config.alibi"});
    if (alibi.value_or(kind == "alibi"))
      model_.position = PositionKind::alibi;
    else if (alibi && family_.position == PositionKind::alibi)
      model_.position = find_bool(node_, {"attn_config.rope"}).value_or(false)
                            ? PositionKind::rotary
                            : PositionKind::learned;
    if (pattern_ || kind == "nope") model_.position = PositionKind::none;
    if (model_.position == PositionKind::learned)
      model_.max_positions = count_of(node_, names::positions) + family_.position_offset;
    if (find_bool(node_, {"use_sliding_window"}).value_or(true))
      model_.sliding_window = whole_of(node_, {"sliding_window", "sliding_window_size"});
    model_.hidden_dropout = dropout({"resid_pdrop", "hidden_dropout", "hidden_dropout_prob",
                                     "residual_dropout", "resid_dropout", "dropout"});
    model_.attention_dropout =
        dropout({"attn_pdrop", "attention_dropout", "attention_dropout_prob",
                 "attention_probs_dropout_prob", "attn_dropout", "attn_config.attn_pdrop"});
  }

  [[nodiscard]] double dropout(const Names& names) const {
    const double rate = find_number(node_, names).value_or(family_.dropout);
    if (rate >= 0.0 && rate < 1.0) return rate;
    node_.problem(name_found(node_, names), "must be >= 0 and < 1");
    return 0.0;
  }

  void read_norms() {
    model_.norms_per_layer = family_.norms_per_layer;
    model_.embedding_norm = family_.embedding_norm;
    if (family_.type == "olmo") model_.irregular_parameters = -model_.hidden;  // no final norm
    if (family_.type == "stablelm" && find_bool(node_, {"use_parallel_residual"}).value_or(false))
      model_.norms_per_layer = 1;
    if (family_.type != "falcon") return;
    const bool parallel = find_bool(node_, {"parallel_attn"}).value_or(true);
    const bool grouped = find_bool(node_, {"new_decoder_architecture"}).value_or(false);
    const bool two =
        grouped ? find_count(node_, {"num_ln_in_parallel_attn"}).value_or(2) == 2 : !parallel;
    model_.norms_per_layer = two ? 2 : 1;
  }

  void read_gpt_oss() {
    if (family_.type != "gpt_oss") return;
    model_.attention_sinks = true;
    if (model_.moe) model_.moe->router_bias = model_.moe->expert_bias = true;
  }

  [[nodiscard]] ModelKeys keys() const {
    const bool own_experts = find_any(node_, names::expert_ffn).has_value();
    return {.layers = name_found(node_, names::layers),
            .hidden = name_found(node_, names::hidden),
            .heads = name_found(node_, names::heads),
            .kv_heads = name_found(node_, names::kv_heads),
            .head_dim = name_found(node_, names::head_dim),
            .ffn = name_found(node_, names::ffn),
            .vocabulary = name_found(node_, names::vocabulary),
            .positions = name_found(node_, names::positions),
            .latent = "kv_lora_rank",
            .experts = name_found(node_, names::experts),
            .experts_per_token = name_found(node_, names::experts_per_token),
            .expert_ffn = name_found(node_, own_experts ? names::expert_ffn : names::ffn)};
  }

  void note_other_parts() {
    const std::int64_t predicted =
        whole_of(node_, {"num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_modules"});
    if (predicted > 0)
      note(model_, std::to_string(predicted) + " multi-token prediction layer" +
                       (predicted > 1 ? "s are" : " is") + " not counted");
    if (find_any(document_, {"vision_config", "visual", "vision_tower", "mm_vision_tower"}))
      note(model_, "the vision tower is not counted");
    if (find_any(document_, {"audio_config"})) note(model_, "the audio tower is not counted");
  }

  const Node& document_;
  const Node& node_;
  Family family_;
  Transformer model_;
  LayerWidths widths_;
  std::optional<BlockPattern> pattern_;
};

}  // namespace

Transformer parse_huggingface(const Node& node, const std::string& name) {
  const Node inner = language_model(node);
  Transformer model = Reader(node, inner).read();
  model.name = name;
  return model;
}

}  // namespace stepcast

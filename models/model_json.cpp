#include "models/model_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/json_text.hpp"
#include "models/model_check.hpp"
#include "models/named_fields.hpp"

namespace stepcast {
namespace {

using Json = nlohmann::json;

const std::vector<std::string> norm_names{"layer_norm", "rms_norm"};
const std::vector<std::string> position_names{"rotary", "learned", "alibi", "none"};

template <class Enum>
Enum parse_enum(const Node& node, const std::string& key, const std::vector<std::string>& names,
                Enum fallback) {
  const std::string word = node.choice(key, names, names[static_cast<std::size_t>(fallback)]);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == word) return static_cast<Enum>(i);
  return fallback;
}

// A count that may be 0.
std::int64_t whole(const Node& node, const std::string& key, std::int64_t fallback = 0) {
  return node.has(key) ? whole_of(node, {key}) : fallback;
}

std::int64_t count(const Node& node, const std::string& key,
                   std::optional<std::int64_t> fallback = std::nullopt) {
  return count_of(node, {key}, fallback);
}

// A difference in the number of parameters, of either sign.
std::int64_t difference(const Node& node, const std::string& key) {
  const std::int64_t value = node.integer(key, 0);
  constexpr std::int64_t most = 10'000'000'000'000'000;
  if (value >= -most && value <= most) return value;
  node.problem(key, "must be within 1e16 of 0, found " + std::to_string(value));
  return 0;
}

MixtureOfExperts parse_mixture(const Node& node) {
  MixtureOfExperts moe;
  moe.experts = count(node, "experts");
  moe.experts_per_token = count(node, "experts_per_token");
  moe.expert_ffn = count(node, "expert_ffn");
  moe.shared_experts = whole(node, "shared_experts");
  moe.shared_ffn = whole(node, "shared_ffn", moe.shared_experts * moe.expert_ffn);
  moe.leading_dense_layers = whole(node, "leading_dense_layers");
  moe.layer_interval = count(node, "layer_interval", 1);
  moe.router_bias = node.boolean("router_bias", false);
  moe.shared_expert_gate = node.boolean("shared_expert_gate", false);
  moe.expert_bias = node.boolean("expert_bias", false);
  node.finish();
  return moe;
}

LatentAttention parse_latent(const Node& node) {
  LatentAttention latent;
  latent.q_lora_rank = whole(node, "q_lora_rank");
  latent.kv_lora_rank = count(node, "kv_lora_rank");
  latent.qk_nope_head_dim = count(node, "qk_nope_head_dim");
  latent.qk_rope_head_dim = whole(node, "qk_rope_head_dim");
  latent.v_head_dim = count(node, "v_head_dim");
  latent.index_heads = whole(node, "index_heads");
  latent.index_head_dim = whole(node, "index_head_dim");
  node.finish();
  return latent;
}

void parse_shape(const Node& node, Transformer& model) {
  model.layers = count(node, "layers");
  model.hidden = count(node, "hidden");
  model.heads = count(node, "heads");
  model.kv_heads = count(node, "kv_heads", model.heads);
  model.vocabulary = count(node, "vocabulary");
  if (const auto moe = node.find("moe")) model.moe = parse_mixture(*moe);
  if (const auto latent = node.find("latent_attention"))
    model.latent_attention = parse_latent(*latent);
  model.head_dim = model.latent_attention ? model.latent_attention->qk_nope_head_dim +
                                                model.latent_attention->qk_rope_head_dim
                                          : model.hidden / model.heads;
  if (!node.has("head_dim") && !model.latent_attention && model.hidden % model.heads != 0)
    node.problem("heads", "must divide hidden (" + std::to_string(model.hidden) + "), found " +
                              std::to_string(model.heads));
  model.head_dim = count(node, "head_dim", std::max<std::int64_t>(model.head_dim, 1));
  model.ffn = model.moe ? whole(node, "ffn") : count(node, "ffn");
  model.max_positions = whole(node, "max_positions");
  model.norms_per_layer = whole(node, "norms_per_layer", 2);
  model.sliding_window = whole(node, "sliding_window");
}

void parse_switches(const Node& node, Transformer& model) {
  model.gated_mlp = node.boolean("gated_mlp", true);
  model.tied_embeddings = node.boolean("tied_embeddings", false);
  model.qkv_bias = node.boolean("qkv_bias", false);
  model.attention_output_bias = node.boolean("attention_output_bias", false);
  model.mlp_bias = node.boolean("mlp_bias", false);
  model.head_bias = node.boolean("head_bias", false);
  model.qk_norm = node.boolean("qk_norm", false);
  model.qk_norm_full_width = node.boolean("qk_norm_full_width", false);
  model.embedding_norm = node.boolean("embedding_norm", false);
  model.attention_sinks = node.boolean("attention_sinks", false);
  model.norm = parse_enum(node, "norm", norm_names, NormKind::rms_norm);
  model.position = parse_enum(node, "position", position_names, PositionKind::rotary);
}

void parse_header(const Node& node) {
  const auto format = node.find("format");
  if (format && format->json() != Json("stepcast.model"))
    format->problem("must be \"stepcast.model\", found " + shown(format->json()));
  const std::int64_t version = node.integer("version", 1);
  if (version != 1) node.problem("version", "must be 1, found " + std::to_string(version));
}

double dropout(const Node& node, const std::string& key) {
  const double rate = node.number(key, 0.0);
  if (rate >= 0.0 && rate < 1.0) return rate;
  node.problem(key, "must be >= 0 and < 1, found " + Json(rate).dump());
  return 0.0;
}

}  // namespace

Transformer parse_model_json(const Node& node) {
  Transformer model;
  model.name = node.text("name", "");
  parse_header(node);
  if (const auto sources = node.find("sources"))
    for (const Node& source : sources->elements()) (void)source.as_text();
  parse_shape(node, model);
  parse_switches(node, model);
  model.hidden_dropout = dropout(node, "hidden_dropout");
  model.attention_dropout = dropout(node, "attention_dropout");
  model.not_counted = node.text("not_counted", "");
  model.irregular_parameters = difference(node, "irregular_parameters");
  model.irregular_active_parameters = difference(node, "irregular_active_parameters");
  node.finish();
  check_model(node, model, {});
  return model;
}

Json to_json(const Transformer& model) {
  Json document{
      {"format", "stepcast.model"},
      {"version", 1},
      {"name", model.name},
      {"layers", model.layers},
      {"hidden", model.hidden},
      {"heads", model.heads},
      {"kv_heads", model.kv_heads},
      {"head_dim", model.head_dim},
      {"ffn", model.ffn},
      {"vocabulary", model.vocabulary},
      {"max_positions", model.max_positions},
      {"gated_mlp", model.gated_mlp},
      {"tied_embeddings", model.tied_embeddings},
      {"qkv_bias", model.qkv_bias},
      {"attention_output_bias", model.attention_output_bias},
      {"mlp_bias", model.mlp_bias},
      {"head_bias", model.head_bias},
      {"qk_norm", model.qk_norm},
      {"qk_norm_full_width", model.qk_norm_full_width},
      {"embedding_norm", model.embedding_norm},
      {"attention_sinks", model.attention_sinks},
      {"norms_per_layer", model.norms_per_layer},
      {"sliding_window", model.sliding_window},
      {"hidden_dropout", model.hidden_dropout},
      {"attention_dropout", model.attention_dropout},
      {"norm", norm_names[static_cast<std::size_t>(model.norm)]},
      {"position", position_names[static_cast<std::size_t>(model.position)]},
      {"not_counted", model.not_counted},
      {"irregular_parameters", model.irregular_parameters},
      {"irregular_active_parameters", model.irregular_active_parameters},
  };
  if (model.moe) {
    const MixtureOfExperts& moe = *model.moe;
    document["moe"] = {{"experts", moe.experts},
                       {"experts_per_token", moe.experts_per_token},
                       {"expert_ffn", moe.expert_ffn},
                       {"shared_experts", moe.shared_experts},
                       {"shared_ffn", moe.shared_ffn},
                       {"leading_dense_layers", moe.leading_dense_layers},
                       {"layer_interval", moe.layer_interval},
                       {"router_bias", moe.router_bias},
                       {"shared_expert_gate", moe.shared_expert_gate},
                       {"expert_bias", moe.expert_bias}};
  }
  if (model.latent_attention) {
    const LatentAttention& latent = *model.latent_attention;
    document["latent_attention"] = {{"q_lora_rank", latent.q_lora_rank},
                                    {"kv_lora_rank", latent.kv_lora_rank},
                                    {"qk_nope_head_dim", latent.qk_nope_head_dim},
                                    {"qk_rope_head_dim", latent.qk_rope_head_dim},
                                    {"v_head_dim", latent.v_head_dim},
                                    {"index_heads", latent.index_heads},
                                    {"index_head_dim", latent.index_head_dim}};
  }
  return document;
}

}  // namespace stepcast

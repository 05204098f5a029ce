#include "models/huggingface_family.hpp"

#include <algorithm>
#include <array>

#include "models/named_fields.hpp"

namespace stepcast {
namespace {

constexpr NormKind layer_norm = NormKind::layer_norm;

bool is_gated_activation(const std::string& activation) {
  return activation == "silu" || activation == "swish" ||
         activation.find("glu") != std::string::npos;
}

Family guessed(const Node& node) {
  const bool rms = find_any(node, {"rms_norm_eps", "rms_norm", "rmsnorm_eps"}).has_value();
  const std::string activation = text_of(node, {"hidden_act", "activation_function"});
  const bool gated = is_gated_activation(activation) || (rms && activation.empty()) ||
                     find_any(node, {"hidden_activation"}).has_value();
  if (rms || gated)
    return {.norm = rms ? NormKind::rms_norm : layer_norm,
            .mlp = gated ? MlpKind::gated : MlpKind::plain};
  const bool rotary =
      find_any(node, {"rope_theta", "rotary_dim", "rotary_pct", "rope_parameters"}).has_value();
  return {.norm = layer_norm,
          .position = rotary ? PositionKind::rotary : PositionKind::learned,
          .mlp = MlpKind::plain,
          .tied = !rotary,
          .attention_biases = Biases::all,
          .mlp_bias = true,
          .wide_ffn = true};
}

}  // namespace

Family family_of(const Node& node, const std::string& model_type) {
  const Family* best = nullptr;
  for (const Family& family : known_families())
    if (model_type.starts_with(family.type) &&
        (best == nullptr || family.type.size() > best->type.size()))
      best = &family;
  return best != nullptr ? *best : guessed(node);
}

bool is_other_architecture(const std::string& model_type) {
  static constexpr std::array others{
      "albert",  "bart",     "bert",    "clip",       "deberta", "deberta-v2", "distilbert",
      "electra", "led",      "longt5",  "m2m_100",    "marian",  "mbart",      "modernbert",
      "mt5",     "pegasus",  "roberta", "siglip",     "t5",      "t5gemma",    "umt5",
      "vit",     "wav2vec2", "whisper", "xlm-roberta"};
  return std::find(others.begin(), others.end(), model_type) != others.end();
}

}  // namespace stepcast

#pragma once

#include <string>
#include <vector>

#include "common/json_node.hpp"
#include "models/transformer.hpp"

namespace stepcast {

enum class MlpKind { plain, gated };
enum class Biases { none, qkv, output_only, all };  // of the attention, where the file is silent
enum class QkNorm { none, per_head, full_width };

// What a family's implementation does where its files say nothing: the defaults of the
// configuration and modeling code of Hugging Face transformers, or of the model's own repository.
struct Family {
  std::string type{};  // a prefix of the file's model_type
  NormKind norm = NormKind::rms_norm;
  PositionKind position = PositionKind::rotary;
  MlpKind mlp = MlpKind::gated;
  bool tied = false;
  Biases attention_biases = Biases::none;
  bool attention_bias_on_output = true;  // whether "attention_bias": true covers the output too
  bool mlp_bias = false;
  bool head_bias = false;
  QkNorm qk_norm = QkNorm::none;  // its kind where there is one
  bool qk_norm_on = true;         // where the file does not say
  std::int64_t norms_per_layer = 2;
  double dropout = 0.0;              // hidden and attention
  bool wide_ffn = false;             // an absent MLP width is 4 * hidden
  bool multi_query = false;          // absent key-value heads are 1
  std::int64_t position_offset = 0;  // extra rows of the position table
  bool embedding_norm = false;
};

[[nodiscard]] const std::vector<Family>& known_families();

// The family of a model_type (the longest matching prefix), or what the file's other fields show:
// an RMS norm or a gated activation means a model built like Llama, else one built like GPT.
[[nodiscard]] Family family_of(const Node& node, const std::string& model_type);

// Whether `model_type` is known to be no decoder-only transformer ("bert", "t5", "whisper", ...).
[[nodiscard]] bool is_other_architecture(const std::string& model_type);

}  // namespace stepcast

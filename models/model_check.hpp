#pragma once

#include <string>

#include "common/json_node.hpp"
#include "models/transformer.hpp"

namespace stepcast {

// The names that a document gives to the fields that are checked together.
struct ModelKeys {
  std::string layers = "layers";
  std::string hidden = "hidden";
  std::string heads = "heads";
  std::string kv_heads = "kv_heads";
  std::string head_dim = "head_dim";
  std::string ffn = "ffn";
  std::string vocabulary = "vocabulary";
  std::string positions = "max_positions";
  std::string latent = "latent_attention";
  std::string experts = "moe.experts";
  std::string experts_per_token = "moe.experts_per_token";
  std::string expert_ffn = "moe.expert_ffn";
};

// The smallest model: stands in for one that could not be read.
[[nodiscard]] Transformer harmless_model();

// Rules across fields, and limits far above any real model that keep 64-bit counts from overflow.
// Problems go to the node's reader; with one of them, `model` becomes the harmless one.
void check_model(const Node& node, Transformer& model, const ModelKeys& keys);

}  // namespace stepcast

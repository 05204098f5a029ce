#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/transformer.hpp"

namespace stepcast {

// The design's numeric test vectors, where they are at hand.
inline std::filesystem::path semantics_vectors_path() {
  return STEPCAST_SOURCE_DIR "/../shared/design/semantics_vectors.json";
}

#define STEPCAST_SKIP_WITHOUT_VECTORS()                   \
  if (!std::filesystem::exists(semantics_vectors_path())) \
  GTEST_SKIP() << "semantics_vectors.json is not there"

inline const nlohmann::json& semantics_document() {
  static const nlohmann::json document =
      nlohmann::json::parse(std::ifstream(semantics_vectors_path()));
  return document;
}

inline std::vector<nlohmann::json> semantics_vectors(const std::string& prefix) {
  std::vector<nlohmann::json> found;
  for (const auto& vector : semantics_document().at("vectors"))
    if (vector.at("id").get<std::string>().starts_with(prefix)) found.push_back(vector);
  EXPECT_FALSE(found.empty()) << prefix;
  return found;
}

// A vector's model in the vectors' own letters.
inline Transformer model_of_vector(const nlohmann::json& letters) {
  const bool bias = letters.at("bias");
  return {.layers = letters.at("L"),
          .hidden = letters.at("h"),
          .heads = letters.at("a"),
          .kv_heads = letters.at("kv"),
          .head_dim = letters.at("d"),
          .ffn = letters.at("f"),
          .vocabulary = letters.at("V"),
          .gated_mlp = letters.at("gated"),
          .tied_embeddings = letters.at("tied"),
          .qkv_bias = bias,
          .attention_output_bias = bias,
          .mlp_bias = bias,
          .norm = letters.at("norm") == "ln" ? NormKind::layer_norm : NormKind::rms_norm,
          .position = bias ? PositionKind::learned : PositionKind::rotary};
}

inline const nlohmann::json& named_vector_model(const nlohmann::json& vector) {
  return semantics_document().at("models").at(vector.at("inputs").at("model").get<std::string>());
}

}  // namespace stepcast

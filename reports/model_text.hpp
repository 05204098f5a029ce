#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "models/transformer.hpp"

namespace stepcast {

// What `stepcast model show` prints: the shape, parameters by part, and training FLOPs per token at
// `sequence_length` tokens in both attention conventions.
[[nodiscard]] std::string model_text(const Transformer& model, std::int64_t sequence_length);

// A stepcast.model document with the parameter counts under "derived".
[[nodiscard]] nlohmann::json model_document(const Transformer& model);

}  // namespace stepcast

#pragma once

#include <nlohmann/json_fwd.hpp>

#include "common/json_node.hpp"
#include "models/transformer.hpp"

namespace stepcast {

// Our explicit form, "stepcast.model" version 1: the keys are Transformer's fields. Needed are
// layers, hidden, heads, ffn (or moe.expert_ffn) and vocabulary; kv_heads defaults to heads,
// head_dim to hidden / heads, the rest to Transformer's own defaults. "sources" (an array of text)
// is read over. Problems go to the node's reader.
[[nodiscard]] Transformer parse_model_json(const Node& node);

// In the form that parse_model_json reads, every field written.
[[nodiscard]] nlohmann::json to_json(const Transformer& model);

}  // namespace stepcast

#pragma once

#include <string>

#include "common/json_node.hpp"
#include "models/transformer.hpp"

namespace stepcast {

// A model described by a Hugging Face config.json: keyed on the fields that it has, under any of
// their known names, also inside "text_config"; model_type only fills what the fields leave open.
// Unknown keys are ignored; a missing needed one is a problem. Problems go to the node's reader.
[[nodiscard]] Transformer parse_huggingface(const Node& node, const std::string& name);

}  // namespace stepcast

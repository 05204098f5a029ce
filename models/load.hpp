#pragma once

#include <string>
#include <vector>

#include "common/json_node.hpp"
#include "models/transformer.hpp"

namespace stepcast {

// A preset name, or the path of a Hugging Face config.json (or of our own stepcast.model document).
// Throws InputError (naming the nearest preset when neither) or EnvironmentError.
[[nodiscard]] Transformer load_model(const std::string& name_or_path);

// A model written inside another document: a preset name or path (string), or an object in our form
// or in Hugging Face's. Problems go to the node's reader; paths are relative to the working
// directory.
[[nodiscard]] Transformer parse_model(const Node& node);

[[nodiscard]] std::vector<std::string> model_presets();

}  // namespace stepcast

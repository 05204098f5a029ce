#pragma once

#include "common/json_node.hpp"
#include "models/transformer.hpp"

namespace stepcast {

// Reads the experts of a Hugging Face document into model.moe, and model.ffn of the layers without
// experts. Precondition: layers, hidden, ffn (0 where the file has none) and the MLP kind are set.
// A placing of mixture layers that is not "some dense ones, then every n-th" leaves a note and a
// parameter difference in `model`.
void parse_mixture(const Node& node, Transformer& model);

// Adds to model.not_counted, with "; " between notes.
void note(Transformer& model, const std::string& text);

}  // namespace stepcast

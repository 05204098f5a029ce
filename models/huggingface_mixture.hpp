#pragma once

#include "common/json_node.hpp"
#include "models/transformer.hpp"

namespace stepcast {

// Reads the experts of a Hugging Face document into model.moe, and model.ffn of the layers without
// experts. Precondition: hidden, ffn (0 where the file has none) and the MLP kind are set.
void parse_experts(const Node& node, Transformer& model);

// Reads which layers are mixtures. A placing that is not "some dense ones, then every n-th" leaves
// a note and a parameter difference in `model`. Precondition: everything else is read and checked.
void parse_placing(const Node& node, Transformer& model);

// Adds to model.not_counted, with "; " between notes.
void note(Transformer& model, const std::string& text);

}  // namespace stepcast

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stepcast {

// Megatron-LM's layout of a pipeline as text: chunks between "|", E the embedding, t a layer, m a
// layer of multi-token prediction, L the loss; "t*3" and "(tt|)*29" repeat. Chunk i lies on stage
// i % pipeline. Source: NVIDIA/Megatron-LM megatron/core/transformer/
// pipeline_parallel_layer_layout.py.

// The layout that puts `every` layers on each stage, in `virtual_stages` equal chunks.
[[nodiscard]] std::string pipeline_layout(const std::vector<std::int64_t>& every,
                                          std::int64_t virtual_stages);

// Layers of each chunk; nullopt if the text is no layout, or longer than any real one.
[[nodiscard]] std::optional<std::vector<std::int64_t>> layers_of_layout(const std::string& text);

}  // namespace stepcast

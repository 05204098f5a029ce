#pragma once

#include <optional>

#include "common/json_node.hpp"
#include "models/transformer.hpp"

namespace stepcast {

// Layers that are not all alike: what Transformer cannot describe is counted here, so that the
// totals are right, and named in not_counted.

// Widths that differ by layer: Nemotron-NAS "block_configs", or lists of widths or key-value heads.
struct LayerWidths {
  static constexpr std::int64_t left_out = 0;
  static constexpr std::int64_t one_linear = -1;  // a square matrix in place of the part
  std::vector<std::int64_t> kv_heads;             // by layer; empty: all alike
  std::vector<std::int64_t> ffn;
};
[[nodiscard]] LayerWidths parse_layer_widths(const Node& node, const Transformer& model);
// The most frequent real width, for the uniform description.
[[nodiscard]] std::optional<std::int64_t> usual_width(const std::vector<std::int64_t>& widths);

// Nemotron-H: a string with one letter a block (M Mamba-2, * attention, - MLP, E mixture). The
// layers become the MLPs and mixtures, each with one attention.
struct BlockPattern {
  std::int64_t mamba = 0, attention = 0, mlp = 0, mixture = 0;
};
[[nodiscard]] std::optional<BlockPattern> parse_block_pattern(const Node& node);

// Adds the differences and the notes; the uniform description must be complete.
void add_irregular_layers(const Node& node, const LayerWidths& widths,
                          const std::optional<BlockPattern>& pattern, Transformer& model);

}  // namespace stepcast

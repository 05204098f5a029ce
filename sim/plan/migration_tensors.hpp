#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/parallel/run.hpp"

namespace stepcast {

// How a parameter tensor is cut over the tensor group (of experts: the expert-tensor group).
// Source: SEMANTICS 10; Megatron-LM core/tensor_parallel/layers.py, core/transformer/mlp.py.
enum class TensorSplit {
  none,         // every rank holds it all (norms, biases of row-parallel linears, router)
  rows,         // axis 0: QKV, FC1, LM head, word embedding
  columns,      // axis 1: attention projection, FC2
  gate_and_up,  // axis 0 of each half: gate and up are cut apart (fragments rank, rank + t of 2t)
};

// A parameter of the model by its name in a Megatron-LM checkpoint; a vector has one column.
struct ModelTensor {
  std::string name;
  std::int64_t rows = 0, columns = 1;
  TensorSplit split = TensorSplit::none;
  std::int64_t experts = 0;      // 0: no expert axis; else one matrix for each
  bool linear = false;           // weight of a layer's linear: 8 bits with fp8 parameters
  bool vocabulary_rows = false;  // its rows grow with the padding of the vocabulary
};

// What stands where, in the order in which modules register their parameters (a layer's norms
// apart, which come together). Vocabulary rows are padded as the run's framework does.
// Precondition: no latent attention.
struct TensorInventory {
  std::vector<ModelTensor> embedding, dense_layer, mixture_layer, head;
};
[[nodiscard]] TensorInventory tensor_inventory(const Run& run);

// Rows [first, last) and columns [left, right) of a whole tensor.
struct TensorBlock {
  std::int64_t first = 0, last = 0, left = 0, right = 0;
  [[nodiscard]] std::int64_t elements() const { return (last - first) * (right - left); }
  friend bool operator==(const TensorBlock&, const TensorBlock&) = default;
};

// The part of one matrix that rank `index` of `ranks` holds, in its local order (gate before up).
// Sizes that do not divide (an unpadded vocabulary) are cut as torch.chunk cuts them.
[[nodiscard]] std::vector<TensorBlock> blocks_of(const ModelTensor& tensor, std::int64_t index,
                                                 std::int64_t ranks);

// Shape of the largest shard: {rows, columns}, {rows} of a vector, {experts, rows, columns}.
[[nodiscard]] std::vector<std::int64_t> shard_shape_of(const ModelTensor& tensor,
                                                       const ParallelConfig& parallel);

// A tensor whose slice on a rank differs between two runs.
struct TensorChange {
  std::string name;
  std::optional<int> axis;  // the first that is cut otherwise; none: it is there on one side only
  std::vector<std::int64_t> from_shape, to_shape;  // on one rank; empty: not there
  std::int64_t count = 1;                          // layers that have one
  std::string note;                                // "" or what to know
};
// "decoder.layers" stands for the layers that another pipeline rank holds: its count is their
// number, its shapes the most layers on a rank. Precondition: the same model on both sides.
[[nodiscard]] std::vector<TensorChange> tensor_changes(const Run& from, const Run& to);

// Layers of each pipeline rank, ascending.
[[nodiscard]] std::vector<std::vector<std::int64_t>> layers_of_ranks(const Run& run);
// "0-9, 40-49"; "none".
[[nodiscard]] std::string layer_ranges(const std::vector<std::int64_t>& layers);

}  // namespace stepcast

#pragma once

#include "sim/parallel/run.hpp"

namespace stepcast {

// Sizes on one rank that the byte formulas share; counts are elements unless said otherwise.
struct ShardShape {
  double tensor = 1, context = 1, sequences = 1, sequence = 1;
  double tokens = 0;           // of one micro-batch after the context split
  double residual_tokens = 0;  // the same, split over the tensor group with sequence parallelism
  double element = 2;          // bytes of an activation element
  double residual_bytes = 0;   // one hidden state as the rank holds it between layers
  double gathered_bytes = 0;   // one hidden state of all the rank's tokens
  double query_width = 0, key_value_width = 0;  // on this rank, of K or of V
  double mlp_width = 0, mlp_input_matrices = 1;
  double score_elements = 0;  // one unfused score matrix of all heads of the rank
  double logits = 0;
};

// fp8 counts as bf16: which inputs a recipe keeps in 8 bits is not sourced (SEMANTICS 6.2), so this
// is the upper bound.
[[nodiscard]] ShardShape shard_shape(const Run& run);

}  // namespace stepcast

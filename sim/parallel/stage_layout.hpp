#pragma once

#include <cstdint>
#include <vector>

#include "sim/parallel/run.hpp"

namespace stepcast {

// One virtual stage: consecutive layers, and what stands before and after them.
struct Chunk {
  std::int64_t first_layer = 0;
  std::int64_t layers = 0;
  bool embedding = false;  // word (and position) embedding before the first layer
  bool head = false;       // final norm, logits and loss after the last layer
  friend bool operator==(const Chunk&, const Chunk&) = default;
};

// Chunks by pipeline rank, then virtual stage. Virtual stage v of rank r is stage v * p + r of the
// model (Megatron interleaving). Source: SEMANTICS 4.4; Megatron-LM transformer_block.py.
// Precondition: the run passed check_rules.
struct StageLayout {
  std::vector<std::vector<Chunk>> stages;
};
[[nodiscard]] StageLayout lay_out_stages(const Run& run);

// Parameters held by one rank of this stage (after the tensor split; norms and biases of
// row-parallel layers replicated), including the last stage's copy of a tied embedding when
// pipeline > 1. Precondition: neither a mixture of experts nor latent attention.
struct StageParameters {
  std::int64_t matrices = 0;    // split over the tensor group
  std::int64_t replicated = 0;  // norms, biases that every tensor rank holds
  [[nodiscard]] std::int64_t total() const { return matrices + replicated; }
};
[[nodiscard]] StageParameters stage_parameters(const Run& run, const std::vector<Chunk>& chunks);

}  // namespace stepcast

#pragma once

#include <vector>

#include "sim/memory/memory_rules.hpp"
#include "sim/memory/tensor_list.hpp"
#include "sim/parallel/stage_layout.hpp"

namespace stepcast {

// Bytes per parameter of Adam training on one rank (SEMANTICS 5.2), by what is sharded. The fp32
// copy of 16-bit gradients is apart: it exists from the step to the next zero_grad.
struct StateBytes {
  double parameters = 0, gradients = 0, master = 0, moments = 0, gradient_copy = 0;
  [[nodiscard]] double total() const {
    return parameters + gradients + master + moments + gradient_copy;
  }
};
[[nodiscard]] StateBytes state_bytes_per_parameter(const Run& run, const MemoryRules& rules);

// What is alive all through a step: states, workspaces, dummy gradients, shared buffers.
// Source: MEMORY_EXACT 3. The optimizer's moments exist from the first step on; this is any later
// one.
[[nodiscard]] TensorList persistent_tensors(const Run& run, const MemoryRules& rules,
                                            const std::vector<Chunk>& chunks);

// Alive between two steps only: the fp32 copy of 16-bit gradients (MEMORY_EXACT 3).
[[nodiscard]] TensorList between_steps(const Run& run, const MemoryRules& rules,
                                       const std::vector<Chunk>& chunks);

// One 16-bit gradient for each distinct weight shape of the rank.
[[nodiscard]] Bytes dummy_weight_gradients(const Run& run, const MemoryRules& rules,
                                           const std::vector<Chunk>& chunks);

}  // namespace stepcast

#pragma once

#include "sim/memory/activation_memory.hpp"

namespace stepcast {

// torchtitan's selective recompute works by operator: it keeps the results of attention and of
// every second matrix product (and the layer's input) and makes the rest again.
[[nodiscard]] bool recomputes_by_operator(const Run& run);

// What such a layer keeps: input, query, value, attention output, first MLP product, MLP output.
// Source: torchtitan distributed/activation_checkpoint.py; MEMORY_EXACT 8 (72.2 GiB counted for the
// 8B rows whose compiled reserve is 77.0).
[[nodiscard]] LayerActivations operator_recomputed_layer(const Run& run,
                                                         const LayerActivations& whole);

}  // namespace stepcast

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/plan/advice_case.hpp"

namespace stepcast {

struct Choice {
  std::optional<Completion> best;
  std::int64_t widest_tensor = 1;      // that pays
  std::int64_t wanted_context = 1;     // before the states had to find room
  Degrees first;                       // where the order led before anything had to step on
  bool valid_seen = false;             // some degrees break no rule
  std::optional<double> least_memory;  // bytes, of what was tried
};

// The selection order of the field (SEMANTICS 11): context from the sequence, tensor from the
// width, pipeline from what is left of memory, data from what is left of the GPUs; then the
// optimizer is sharded and, where nothing else fits, activations are recomputed:
//   CP  the smallest degree that brings the activations of a micro-batch, under the widest TP that
//       pays, into their share of memory; if the states then find no room, the smaller one that
//       leaves least to recompute;
//   TP  the smallest degree that does so, inside the NVLink domain;
//   PP  the fewest stages that fit without recomputation and with a bubble within most_bubble; else
//       those that leave least to recompute; the fewest virtual stages that keep the bubble;
//   DP  the rest. Micro-batch 1, unless kernels or hidden gradients need more tokens and memory has
//       room.
// What is chosen is valid and fits; where an axis leaves nothing that does with such a bubble, the
// next larger tensor degree is tried, then the next context degree, and the rules say so.
[[nodiscard]] Choice choose(AdviceCase& advice);

}  // namespace stepcast

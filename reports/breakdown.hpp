#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "sim/predict/prediction.hpp"

namespace stepcast {

// One addend of a stage's step time. `key` is its place in a prediction document
// ("compute_s.gemm"), `label` what people read.
struct BreakdownTerm {
  std::string_view key, label;
  Seconds StageBreakdown::*value;
};

// All of them, in the order of reading; they sum to StageBreakdown::total.
[[nodiscard]] const std::array<BreakdownTerm, 13>& breakdown_terms();

// One addend of a stage's memory: parameters, gradients, optimizer, activations, transient sum to
// peak_allocated, and `overhead` is counted on top by the verdict.
struct MemoryTerm {
  std::string_view key, label;
  Bytes StageMemory::*value;
};
[[nodiscard]] const std::array<MemoryTerm, 6>& memory_terms();

// Index into `breakdown` of the stage that waits least (bubble and exposed pipeline communication);
// the first of equals. It is the one to look at when the step is slow. Precondition: not empty.
[[nodiscard]] std::size_t critical_stage(const Prediction& prediction);

// Index into `memory` of the stage with the most allocated + overhead. Precondition: not empty.
[[nodiscard]] std::size_t fullest_stage(const Prediction& prediction);

// What the verdict compares with the capacity, of that stage; 0 without stages.
[[nodiscard]] Bytes memory_needed(const Prediction& prediction);

[[nodiscard]] Seconds exposed_communication(const StageBreakdown& stage);

}  // namespace stepcast

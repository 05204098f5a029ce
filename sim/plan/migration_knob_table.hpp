#pragma once

#include <vector>

#include "sim/plan/migration_knobs.hpp"

namespace stepcast::detail {

struct KnobRow {
  const char* knob = "";
  const char* megatron = nullptr;  // nullptr: no such knob
  const char* torchtitan = nullptr;
  const char* deepspeed = nullptr;
  NumericsClass numerics = NumericsClass::bit_preserving;
  const char* reason = "";  // of the class, when the model drops nothing out
};

// Flags as Megatron-LM megatron/training/arguments.py (d98e8a6), torchtitan config/job_config.py
// and DeepSpeed's configuration spell them; two dashes in the last column: Megatron-DeepSpeed's
// arguments.
[[nodiscard]] const std::vector<KnobRow>& knob_rows();

}  // namespace stepcast::detail

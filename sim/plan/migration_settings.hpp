#pragma once

#include <string>

#include "sim/plan/migration_knobs.hpp"

namespace stepcast {

// What to write for a changed knob in the launch of `to`, in its framework's own words:
// "--tensor-model-parallel-size 4", "drop --overlap-grad-reduce", "zero_optimization.stage = 1".
// "" for what follows from other knobs or has no flag.
[[nodiscard]] std::string flag_setting(const KnobChange& change, const Run& to);

}  // namespace stepcast

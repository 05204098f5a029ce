#pragma once

#include "sim/cost/profile.hpp"
#include "sim/parallel/action.hpp"
#include "sim/parallel/run.hpp"
#include "sim/parallel/stage_layout.hpp"

namespace stepcast {

// Time of one pipeline action by itself on an idle machine, tensor and context communication
// included: what SimulationDetail::actions gives a folded action on the first stage.
[[nodiscard]] Seconds time_action(const Run& run, const Profile& profile, const CostModel& costs,
                                  const Chunk& chunk, ActionKind kind);

}  // namespace stepcast

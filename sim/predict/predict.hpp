#pragma once

#include <vector>

#include "sim/cost/profile.hpp"
#include "sim/predict/prediction.hpp"
#include "sim/predict/step_simulation.hpp"

namespace stepcast {

struct PredictionWithTrace {
  Prediction prediction;
  std::vector<Span> trace;                        // one rank a stage; empty unless asked for
  std::vector<std::vector<TimedAction>> actions;  // by stage, in execution order
};

// Compiles the run to a step program, simulates it with one rank per pipeline stage, and reads time
// and memory off the timeline. Throws InputError for what the simulator does not execute.
[[nodiscard]] PredictionWithTrace predict(const Run& run, const Profile& profile,
                                          KeepTrace trace = KeepTrace::no,
                                          SimulationDetail detail = SimulationDetail::operations);

}  // namespace stepcast

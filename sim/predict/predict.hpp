#pragma once

#include <vector>

#include "sim/cost/profile.hpp"
#include "sim/predict/prediction.hpp"

namespace stepcast {

enum class KeepTrace { no, yes };

struct PredictionWithTrace {
  Prediction prediction;
  std::vector<Span> trace;  // one rank a stage; empty unless asked for
};

// Compiles the run to a step program, simulates it with one rank per pipeline stage, and reads time
// and memory off the timeline. Throws InputError for what the simulator does not execute.
[[nodiscard]] PredictionWithTrace predict(const Run& run, const Profile& profile,
                                          KeepTrace trace = KeepTrace::no);

}  // namespace stepcast

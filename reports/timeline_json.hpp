#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>

#include "sim/predict/predict.hpp"

namespace stepcast {

// How much of a step a picture can show and stay quick: a browser draws about 50,000 bars in less
// than a second, and the document stays below 8 MB.
struct TimelineLimits {
  std::size_t bars = 50000;           // actions and spans of all stages
  std::size_t memory_points = 40000;  // of all stages; a stage gets 200 to 2000
};

// A stepcast.timeline document, version 1 (schemas/timeline.json): for each stage its actions, its
// exchanges with other stages and of gradients and parameters, its optimizer, and its memory. A
// step with more bars than allowed is shown at its beginning, in its middle and at its end
// ("shown", in seconds), and "left_out" counts the rest. Wants a result with KeepTrace::outline or
// more.
[[nodiscard]] nlohmann::json timeline_json(const PredictionWithTrace& result,
                                           const TimelineLimits& limits = {});

}  // namespace stepcast

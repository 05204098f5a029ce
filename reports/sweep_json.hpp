#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "reports/sweep.hpp"

namespace stepcast {

// A stepcast.sweep document, version 1 (schemas/sweep.json). `base` is the run that was varied, as
// it was given; `detail` says how the points were simulated ("operations" or "actions",
// sim/predict/step_simulation.hpp).
[[nodiscard]] nlohmann::json to_json(const InputSweep& sweep, const nlohmann::json& base,
                                     const std::string& detail);

}  // namespace stepcast

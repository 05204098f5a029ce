#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "reports/comparison.hpp"

namespace stepcast {

// A stepcast.comparison document, version 1 (schemas/comparison.json). `predictions` are the
// compared stepcast.prediction documents in the same order as the forecasts; indices count from 0.
[[nodiscard]] nlohmann::json to_json(const Comparison& comparison,
                                     const std::vector<Forecast>& forecasts,
                                     const std::vector<nlohmann::json>& predictions);

}  // namespace stepcast

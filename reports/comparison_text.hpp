#pragma once

#include <string>
#include <vector>

#include "reports/comparison.hpp"

namespace stepcast {

// Side by side: what differs in the inputs, the main figures, step time by term between critical
// stages, memory by part of the fullest stages, ranking and verdict.
[[nodiscard]] std::string comparison_text(const Comparison& comparison,
                                          const std::vector<Forecast>& forecasts);

}  // namespace stepcast

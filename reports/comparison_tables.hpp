#pragma once

#include <vector>

#include "reports/comparison.hpp"
#include "reports/report_table.hpp"

namespace stepcast {

// Side by side, a column "[i]" a prediction: what differs in the inputs, every metric with rank and
// Pareto front, step time by term of the critical stages, memory by part of the fullest stages; and
// after each of the last two what every prediction has more or less than [0], term by term.
[[nodiscard]] std::vector<ReportTable> comparison_tables(const Comparison& comparison,
                                                         const std::vector<Forecast>& forecasts);

}  // namespace stepcast

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/forecast.hpp"

namespace stepcast {

// Which forecast is best and why, in a sentence: "tp4.json is best: 11.2 % more tokens/s/GPU than
// tp8.json, because ...". Where predictions process different numbers of tokens or use different
// numbers of GPUs, terms are compared in GPU-seconds per million tokens.
// `ranking` is compare()'s. Precondition: not empty.
[[nodiscard]] std::string comparison_sentence(const std::vector<Forecast>& forecasts,
                                              const std::vector<std::size_t>& ranking);

}  // namespace stepcast

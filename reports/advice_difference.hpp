#pragma once

#include <string>

#include "reports/advice_words.hpp"
#include "sim/plan/advice.hpp"

namespace stepcast {

// Why the search's best and the rules' choice differ: by how much, the three largest terms of the
// step, and the mechanisms behind them; or that they are the same.
// Precondition: the advice has a recommendation.
[[nodiscard]] std::string why_different(const Advice& advice, Language language);

// "TP 8, PP 2 x 4 virtual, CP 4, DP 1, micro-batch 1, SP, full recompute of 7 layers".
[[nodiscard]] std::string configuration_name(const Run& run);

}  // namespace stepcast

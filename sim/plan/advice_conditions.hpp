#pragma once

#include <vector>

#include "sim/plan/advice.hpp"

namespace stepcast {

// C4: what each group in use demands and gets.
[[nodiscard]] std::vector<GroupSupply> group_supplies(const std::vector<Strategy>& strategies);

// The five conditions of SEMANTICS 11: c1 does a full replica fit on one GPU, c2 does one layer,
// c3 is the sequence far beyond the usual, c4 does every group get what it demands, c5 is the
// complexity within the ceiling.
[[nodiscard]] std::vector<RuleEvaluation> conditions_of(AdviceCase& advice, const Choice& choice,
                                                        const std::vector<GroupSupply>& groups);

// SEMANTICS 11.1, what matters to the run.
[[nodiscard]] std::vector<Statement> notes_of(const Run& run, const AdviceCase& advice);

}  // namespace stepcast

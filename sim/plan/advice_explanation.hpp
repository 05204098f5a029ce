#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/plan/advice_choice.hpp"
#include "sim/plan/advice_facts.hpp"

namespace stepcast {

// One question of the selection order and its answer for this case.
struct RuleEvaluation {
  std::string axis;  // cp, tp, pp, dp, sharding, recompute, complexity
  std::string id;    // of the question and its reasons
  double value = 0.0;
  std::optional<double> threshold;  // none: nothing to stay below
  FactUnit unit = FactUnit::count;
  bool holds = false;                  // the answer to the question is yes
  std::optional<std::int64_t> chosen;  // degree that follows
  std::vector<Fact> facts;             // what the reason mentions, beside value and threshold
};

// The questions that led to a choice, in order. Precondition: the choice has a best.
[[nodiscard]] std::vector<RuleEvaluation> explain(AdviceCase& advice, const Choice& choice);

}  // namespace stepcast

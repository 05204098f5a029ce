#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/plan/advice_explanation.hpp"
#include "sim/plan/advice_strategies.hpp"
#include "sim/plan/search.hpp"

namespace stepcast {

// What a group of ranks needs of the network at the recommended configuration, and what it gets.
struct GroupSupply {
  std::string axis;  // dp, pp, tp, cp
  std::int64_t degree = 1;
  std::string tier;
  std::optional<double> demanded;  // bytes/s of a rank to hide; absent: exposed whatever the rate
  double supplied = 0.0;
  bool flagged = false;  // supplied less than demanded, or a blocking group beyond NVLink
};

// A configuration with one degree doubled and another one halved.
struct Alternative {
  Degrees degrees;
  std::string problem;  // why it is not valid; "" otherwise
  bool fits = false;
  double memory = 0.0;              // bytes of the fullest rank
  std::optional<RankedRun> ranked;  // absent: not valid
};

// Why nothing could be recommended.
struct Shortfall {
  bool valid_seen = false;             // there are valid configurations, but none fits
  std::optional<double> least_memory;  // bytes that a GPU would need, as the rules would split it
  double capacity = 0.0;
  std::optional<std::int64_t> gpus;  // of the same servers on which the rules find room
};

// Data for an advice; reports/advice_text.hpp has the words.
struct Advice {
  std::vector<RuleEvaluation> conditions;  // c1 to c5 (SEMANTICS 11)
  std::vector<RuleEvaluation> rules;       // in the selection order
  std::vector<GroupSupply> groups;
  std::optional<RankedRun> recommended;
  std::optional<RankedRun> search_best;
  SearchCounts counts;
  std::vector<Strategy> strategies;  // dp, pp, tp, cp
  std::vector<Alternative> alternatives;
  std::vector<Statement> notes;  // where a saying of the field is imprecise, and it matters here
  std::optional<Shortfall> shortfall;
};

// `progress` is told what is done; the search has its own.
struct AdviceHooks {
  std::function<void(std::size_t done, std::size_t of)> progress = [](std::size_t, std::size_t) {};
  SearchHooks search;
};

// Walks the selection order (advice_choice.hpp), predicts its choice and the configurations around
// it, and lets the search find its best under the same limits. Precondition: one base in the
// request. Throws InputError as predict() does.
[[nodiscard]] Advice advise(const SearchRequest& request, const Profile& profile,
                            const AdviceHooks& hooks = {});

}  // namespace stepcast

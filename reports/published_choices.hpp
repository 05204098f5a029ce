#pragma once

#include <set>
#include <string>
#include <vector>

#include "reports/comparison.hpp"
#include "sim/plan/search.hpp"

namespace stepcast {

// A configuration that a team with much at stake chose and published: what a search should find
// near the top.
struct PublishedChoice {
  std::string name, source;
  std::vector<std::string> given;   // assignments ("training.global_batch=2048"): what was fixed
  std::vector<std::string> chosen;  // assignments: what the team decided, as far as it is published
  // Members of a search that stay as given or chosen, for the team could not have decided otherwise
  // (SearchRequest::pinned), and why.
  std::set<std::string> pinned;
  std::string why_pinned;
};

// Llama 3 405B at 8k and 128k tokens, and GPT-3 and 1T models of the Megatron papers.
[[nodiscard]] const std::vector<PublishedChoice>& published_choices();

struct CheckedChoice {
  RankedRun published;                // what is not published is filled with the best prediction
  RankedRun best;                     // of those that need no more memory than `published`
  double gap = 0.0;                   // step time of `published` over `best`, minus one
  std::vector<DifferenceTerm> terms;  // seconds of `best` minus `published`
};

// Searches within `limits` (its memory margin is replaced). Both step times are those of
// SimulationDetail::actions. Throws InputError if the published choice does not fit in memory.
[[nodiscard]] CheckedChoice check_choice(const PublishedChoice& choice, const Profile& profile,
                                         SearchLimits limits = {});

// The run that a choice starts from: given and chosen together.
[[nodiscard]] Run base_of(const PublishedChoice& choice);

// "published TP 8, ...: 6.2 s; best with its memory TP 8, ...: 6.0 s (3.2 % less): bubble -0.3 s".
// Terms below one percent of the step are left out.
[[nodiscard]] std::string choice_sentence(const PublishedChoice& choice,
                                          const CheckedChoice& checked);

}  // namespace stepcast

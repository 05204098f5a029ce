#pragma once

#include <string>
#include <vector>

#include "reports/advice_words.hpp"
#include "sim/plan/advice.hpp"

namespace stepcast {

// An advice in words, as sections of paragraphs; text and Markdown are made of it.
struct AdviceSection {
  std::string heading;  // "" for the opening
  std::vector<std::string> paragraphs;
};
[[nodiscard]] std::vector<AdviceSection> advice_sections(const Advice& advice, const Run& base,
                                                         Language language);

// For a terminal: lines as wide as 100 columns. `base` names model, cluster and training.
[[nodiscard]] std::string advice_text(const Advice& advice, const Run& base, Language language);
// GitHub Markdown.
[[nodiscard]] std::string advice_markdown(const Advice& advice, const Run& base, Language language);

// The sentences of one rule or condition.
[[nodiscard]] std::string question_of(const RuleEvaluation& rule, Language language);
[[nodiscard]] std::string reason_of(const RuleEvaluation& rule, Language language);
[[nodiscard]] std::string limit_of(const Strategy& strategy, Language language);

}  // namespace stepcast

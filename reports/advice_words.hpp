#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim/plan/advice_facts.hpp"

namespace stepcast {

enum class Language { english, chinese };
[[nodiscard]] std::string_view name_of(Language language);  // en, zh
[[nodiscard]] std::optional<Language> language_named(const std::string& name);

// A sentence that names its facts in braces: "{gpus} GPUs".
struct Sentence {
  std::string_view id, text;
};

// Every sentence of one language; both have the same ids and name the same facts.
[[nodiscard]] std::span<const Sentence> english_sentences();
[[nodiscard]] std::span<const Sentence> chinese_sentences();
[[nodiscard]] std::span<const Sentence> sentences(Language language);

// A number with its unit symbol, three significant digits; counts and tokens whole.
[[nodiscard]] std::string formatted(const Fact& fact);

// The sentence of the statement's id with its facts filled in.
// Precondition: the id is known and the statement has every fact that the sentence names.
[[nodiscard]] std::string say(Language language, const Statement& statement);
[[nodiscard]] std::string say(Language language, std::string_view id);
[[nodiscard]] bool has_sentence(Language language, std::string_view id);

}  // namespace stepcast

#include "reports/advice_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/errors.hpp"
#include "reports/text_table.hpp"

namespace stepcast {

namespace {

struct Prefix {
  double size;
  const char* name;
};

// The largest prefix that the value reaches; the last one for smaller values.
std::string with_prefix(double value, std::span<const Prefix> prefixes) {
  for (const Prefix& prefix : prefixes)
    if (std::fabs(value) >= prefix.size || &prefix == &prefixes.back())
      return three_digits(value / prefix.size) + " " + prefix.name;
  return "";
}

constexpr Prefix bytes[] = {{1073741824.0, "GiB"}, {1048576.0, "MiB"}, {1024.0, "KiB"}, {1.0, "B"}};
constexpr Prefix seconds[] = {{1.0, "s"}, {1e-3, "ms"}, {1e-6, "us"}};
constexpr Prefix bytes_per_second[] = {{1e9, "GB/s"}};
constexpr Prefix flops_per_second[] = {{1e12, "TFLOP/s"}};

const Sentence* find(Language language, std::string_view id) {
  const std::span<const Sentence> all = sentences(language);
  const auto found = std::ranges::find(all, id, &Sentence::id);
  return found == all.end() ? nullptr : &*found;
}

std::string value_of(const std::vector<Fact>& facts, std::string_view name) {
  const auto found = std::ranges::find(facts, name, &Fact::name);
  STEPCAST_CHECK(found != facts.end());
  return formatted(*found);
}

}  // namespace

std::string_view name_of(Language language) { return language == Language::chinese ? "zh" : "en"; }

std::optional<Language> language_named(const std::string& name) {
  if (name == "en") return Language::english;
  if (name == "zh") return Language::chinese;
  return std::nullopt;
}

std::span<const Sentence> sentences(Language language) {
  return language == Language::chinese ? chinese_sentences() : english_sentences();
}

std::string formatted(const Fact& fact) {
  switch (fact.unit) {
    case FactUnit::count:
    case FactUnit::tokens: return fmt::format("{:.0f}", fact.value);
    case FactUnit::ratio: return three_digits(fact.value);
    case FactUnit::share: return percent(fact.value) + " %";
    case FactUnit::bytes: return with_prefix(fact.value, bytes);
    case FactUnit::seconds: return with_prefix(fact.value, seconds);
    case FactUnit::bytes_per_second: return with_prefix(fact.value, bytes_per_second);
    case FactUnit::flops_per_second: return with_prefix(fact.value, flops_per_second);
    case FactUnit::text: return fact.text;
  }
  return "";
}

std::string say(Language language, const Statement& statement) {
  const Sentence* sentence = find(language, statement.id);
  STEPCAST_CHECK(sentence != nullptr);
  std::string out;
  std::string_view rest = sentence->text;
  for (auto open = rest.find('{'); open != rest.npos; open = rest.find('{')) {
    const auto close = rest.find('}', open);
    out += rest.substr(0, open);
    out += value_of(statement.facts, rest.substr(open + 1, close - open - 1));
    rest = rest.substr(close + 1);
  }
  return out.append(rest);
}

std::string say(Language language, std::string_view id) {
  return say(language, Statement{std::string(id), {}});
}

bool has_sentence(Language language, std::string_view id) { return find(language, id) != nullptr; }

}  // namespace stepcast

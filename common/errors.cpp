#include "common/errors.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <tuple>

namespace stepcast {
namespace {

constexpr std::size_t longest_word = 100;  // beyond it a word is not a misspelt name

std::string joined(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) {
    if (!text.empty()) text += '\n';
    text += to_string(problem);
  }
  return text;
}

// Levenshtein distance, one row at a time.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

std::size_t common_prefix(const std::string& a, const std::string& b) {
  std::size_t length = 0;
  while (length < a.size() && length < b.size() && a[length] == b[length]) ++length;
  return length;
}

}  // namespace

std::string to_string(const Problem& problem) {
  std::string text;
  for (const std::string* part : {&problem.file, &problem.where, &problem.message}) {
    if (part->empty()) continue;
    if (!text.empty()) text += ": ";
    text += *part;
  }
  return text;
}

InputError::InputError(std::vector<Problem> problems)
    : std::runtime_error(joined(problems)), problems_(std::move(problems)) {}

void check_failed(const char* expression, const char* file, int line) {
  std::fprintf(stderr, "stepcast: internal error: %s does not hold (%s:%d)\n", expression, file,
               line);
  std::abort();
}

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  if (word.size() > longest_word) return "";
  // Of equal distances the same length is nearest, then the longest common start.
  const auto rank = [&](const std::string& candidate) {
    return std::tuple(edit_distance(word, candidate), candidate.size() != word.size(),
                      word.size() - common_prefix(word, candidate));
  };
  std::string found;
  auto best = std::tuple(word.size() / 2 + 1, false, std::size_t{0});
  for (const std::string& candidate : candidates) {
    const auto own = rank(candidate);
    if (own >= best) continue;
    best = own;
    found = candidate;
  }
  return found;
}

}  // namespace stepcast

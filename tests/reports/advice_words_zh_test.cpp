#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "reports/advice_words.hpp"

namespace stepcast {
namespace {

std::set<std::string> facts_named(std::string_view text) {
  std::set<std::string> found;
  for (auto open = text.find('{'); open != text.npos; open = text.find('{', open + 1))
    found.emplace(text.substr(open + 1, text.find('}', open) - open - 1));
  return found;
}

std::map<std::string, std::set<std::string>> table(std::span<const Sentence> sentences) {
  std::map<std::string, std::set<std::string>> all;
  for (const Sentence& sentence : sentences) all.emplace(sentence.id, facts_named(sentence.text));
  return all;
}

TEST(AdviceWordsChinese, SaysWhatEnglishSaysWithTheSameNumbers) {
  EXPECT_EQ(chinese_sentences().size(), english_sentences().size());
  EXPECT_EQ(table(chinese_sentences()), table(english_sentences()));
}

// Besides names that stay as they are.
TEST(AdviceWordsChinese, IsChinese) {
  for (const Sentence& sentence : chinese_sentences())
    EXPECT_TRUE(std::ranges::any_of(sentence.text, [](char c) {
      return (static_cast<unsigned char>(c) & 0x80U) != 0;
    })) << sentence.id;
}

}  // namespace
}  // namespace stepcast

#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "reports/advice_words.hpp"

namespace stepcast {
namespace {

TEST(AdviceWordsEnglish, EachIdIsThereOnce) {
  std::set<std::string_view> ids;
  for (const Sentence& sentence : english_sentences()) {
    EXPECT_TRUE(ids.insert(sentence.id).second) << sentence.id;
    EXPECT_FALSE(sentence.text.empty()) << sentence.id;
  }
}

// Every question has a reason for both answers, or one for either.
TEST(AdviceWordsEnglish, QuestionsHaveReasons) {
  for (const Sentence& sentence : english_sentences()) {
    if (!sentence.id.ends_with('?')) continue;
    const std::string id(sentence.id.substr(0, sentence.id.size() - 1));
    const bool plain = has_sentence(Language::english, id);
    const bool yes = has_sentence(Language::english, id + ".yes");
    const bool no = has_sentence(Language::english, id + ".no");
    EXPECT_TRUE(plain || yes || no) << id;
    EXPECT_FALSE(plain && (yes || no)) << id;
  }
}

}  // namespace
}  // namespace stepcast

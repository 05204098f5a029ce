#include "reports/advice_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "reports/advice_difference.hpp"
#include "tests/reports/advice_fixtures.hpp"

namespace stepcast {
namespace {

using test::short_advice;
using test::small_advice;
using test::small_request;
using testing::AllOf;
using testing::HasSubstr;

std::string text(Language language) {
  return advice_text(small_advice(), small_request().bases.front(), language);
}

TEST(AdviceText, AnswersTheFiveConditionsOneByOne) {
  EXPECT_THAT(text(Language::english),
              AllOf(HasSubstr("C1. Does a full replica fit"), HasSubstr("C2. Does one layer"),
                    HasSubstr("C3. Is the sequence"), HasSubstr("C4. Does the network"),
                    HasSubstr("C5. Can the team")));
  EXPECT_THAT(text(Language::chinese),
              AllOf(HasSubstr("C1. 单张 GPU"), HasSubstr("C3. 序列"), HasSubstr("C5. 团队")));
}

TEST(AdviceText, NamesTheChoiceAndTheSearch) {
  EXPECT_THAT(text(Language::english),
              AllOf(HasSubstr(configuration_name(small_advice().recommended->run)),
                    HasSubstr("The search")));
}

TEST(AdviceText, EachRuleHasValueAndThreshold) {
  for (const AdviceSection& part :
       advice_sections(small_advice(), small_request().bases.front(), Language::english)) {
    if (part.heading != "The rules, in order") continue;
    EXPECT_EQ(part.paragraphs.size(), small_advice().rules.size());
    for (const std::string& line : part.paragraphs) {
      if (!line.starts_with("[complexity]")) {
        EXPECT_THAT(line, HasSubstr(" against "));
      }
    }
  }
}

TEST(AdviceText, LinesStayWithinTheTerminal) {
  for (const Language language : {Language::english, Language::chinese}) {
    std::istringstream lines(text(language));
    for (std::string line; std::getline(lines, line);) {
      std::size_t columns = 0;
      for (const char c : line) {
        const auto byte = static_cast<unsigned char>(c);
        if ((byte & 0xC0U) != 0x80U) columns += byte >= 0xE0U ? 2 : 1;
      }
      EXPECT_LE(columns, 104u) << line;  // closing marks may hang over
    }
  }
}

TEST(AdviceText, MarkdownHasHeadingsAndEscapes) {
  auto base = small_request().bases.front();
  base.model.name = "<b>*model*";
  const std::string markdown = advice_markdown(small_advice(), base, Language::english);
  EXPECT_TRUE(markdown.starts_with("## Advice for "));
  EXPECT_THAT(markdown, HasSubstr("\n### Five conditions\n"));
  EXPECT_EQ(markdown.find("<b>"), std::string::npos);
}

TEST(AdviceText, SaysWhatIsMissing) {
  const std::string out =
      advice_text(short_advice(), small_request().bases.front(), Language::english);
  // 100e9 / 2^30 = 93.1, 80e9 / 2^30 = 74.5
  EXPECT_THAT(out, AllOf(HasSubstr("93.1 GiB"), HasSubstr("74.5 GiB"), HasSubstr("32 GPUs")));
}

}  // namespace
}  // namespace stepcast

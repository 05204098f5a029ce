#include "common/json_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace stepcast {
namespace {

std::string syntax_error(const std::string& text) {
  std::vector<Problem> problems;
  try {
    (void)parse_json("run.json", text, problems);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ParseJson, NamesLineAndColumnOfASyntaxError) {
  EXPECT_EQ(syntax_error("{\n  \"a\": 1,\n  \"b\": nope\n}"),
            "run.json: line 3, column 9: not JSON: invalid literal");
  EXPECT_EQ(syntax_error("{\"a\": 1,}"),
            "run.json: line 1, column 9: not JSON: unexpected '}'; expected string literal");
}

TEST(ParseJson, NamesTheEndOfACutFile) {
  EXPECT_EQ(syntax_error("{\n"),
            "run.json: line 2, column 1: not JSON: unexpected end of input; expected string "
            "literal");
  EXPECT_EQ(syntax_error(""),
            "run.json: line 1, column 1: not JSON: unexpected end of input; expected '[', '{', or "
            "a literal");
}

TEST(ParseJson, RefusesNumbersPastTheRangeOfDouble) {
  EXPECT_EQ(syntax_error("[1e999]"),
            "run.json: line 1, column 6: not JSON: number overflow parsing '1e999'");
}

TEST(ParseJson, RefusesNaNAndInvalidText) {
  EXPECT_EQ(syntax_error("[NaN]"), "run.json: line 1, column 2: not JSON: invalid literal");
  EXPECT_EQ(syntax_error("[\"\xff\"]"),
            "run.json: line 1, column 3: not JSON: invalid string: ill-formed UTF-8 byte");
}

TEST(ParseJson, RefusesNestingThatRecursionCouldNotFollow) {
  EXPECT_EQ(syntax_error(std::string(100000, '[')), "run.json: nested more than 512 levels deep");
}

TEST(ParseJson, ReportsKeysWrittenTwice) {
  std::vector<Problem> problems;
  const auto document =
      parse_json("m.json", R"({"a": [{"b": 1}, {"x": {"c": 1, "c": 2}}], "a b": 0})", problems);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(to_string(problems[0]), "m.json: a[1].x.c: is written twice");
  EXPECT_EQ(document["a"][1]["x"]["c"], 2);
}

TEST(ParseJson, AgreesWithTheLibrary) {
  const std::string text = R"({"a": [1, -2, 2.5, true, null, "x", [], {}], "b": {"c": [[1]]}})";
  std::vector<Problem> problems;
  EXPECT_EQ(parse_json("", text, problems), nlohmann::json::parse(text));
  EXPECT_TRUE(problems.empty());
}

TEST(Shown, QuotesTextAndNamesContainers) {
  EXPECT_EQ(shown("a \"b\""), R"("a \"b\"")");
  EXPECT_EQ(shown(2.5), "2.5");
  EXPECT_EQ(shown(nullptr), "null");
  EXPECT_EQ(shown(nlohmann::json::object()), "an object");
  EXPECT_EQ(shown(nlohmann::json::array()), "an array");
  EXPECT_EQ(shown(std::nan("")), "NaN");
}

TEST(Shown, CutsLongTextBetweenCharacters) {
  std::string text(58, 'x');
  text += "\xc3\xa9\xc3\xa9";  // two-byte characters across the 60th byte (after the quote)
  EXPECT_EQ(shown(text), "\"" + std::string(58, 'x') + "...");
}

TEST(MemberPath, UsesDotsForPlainKeysAndBracketsForOthers) {
  EXPECT_EQ(member_path("", "parallel"), "parallel");
  EXPECT_EQ(member_path("parallel", "tensor"), "parallel.tensor");
  EXPECT_EQ(member_path("a", "b.c"), "a[\"b.c\"]");
  EXPECT_EQ(member_path("a", ""), "a[\"\"]");
  EXPECT_EQ(element_path("stages", 3), "stages[3]");
}

}  // namespace
}  // namespace stepcast

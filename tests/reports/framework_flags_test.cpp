#include "reports/framework_flags.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace stepcast {
namespace {

using nlohmann::json;
using Form = FlagRow::Form;

const FlagRows rows{{"a.count", "--count", Form::count, "1"},
                    {"a.open", "--open", Form::count, ""},
                    {"a.rate", "--rate", Form::number, "0.1"},
                    {"a.kind", "--kind", Form::word, "x", {{"x", "X"}, {"y", "Y"}}},
                    {"a.on", "--on", Form::present, "false"},
                    {"a.tied", "--untie", Form::missing, "true"},
                    {"a.sure", "sure", Form::boolean, "false"}};

json read(const Settings& settings) {
  ForeignSettings foreign("f", settings);
  json document = json::object();
  read_rows(rows, foreign, document);
  foreign.throw_if_problems();
  return document;
}

TEST(FlagRows, AbsentSettingsHaveTheFrameworksDefaults) {
  EXPECT_EQ(read({}), json::parse(R"({"a": {"count": 1, "rate": 0.1, "kind": "x", "on": false,
                                            "tied": true, "sure": false}})"));
}

TEST(FlagRows, ReadWhatTheyWrite) {
  const json document = json::parse(R"({"a": {"count": 4, "open": 7, "rate": 0.0, "kind": "y",
                                             "on": true, "tied": false, "sure": true}})");
  const Settings written = write_rows(rows, document);
  EXPECT_EQ(written, (Settings{{"--count", "4"},
                               {"--open", "7"},
                               {"--rate", "0.0"},
                               {"--kind", "Y"},
                               {"--on", ""},
                               {"--untie", ""},
                               {"sure", "true"}}));
  EXPECT_EQ(read(written), document);
}

TEST(FlagRows, LeaveOutAWordThatTheFrameworkDoesNotKnow) {
  EXPECT_EQ(write_rows(rows, {{"a", {{"kind", "z"}}}}), Settings{});
}

TEST(FlagRows, NameTheChoicesOfAWord) {
  try {
    read({{"--kind", "Z"}});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "f: --kind: must be one of X, Y, found \"Z\"");
  }
}

TEST(MemberIn, IsNullWhereNothingIs) {
  const json document{{"a", {{"b", 1}}}};
  EXPECT_EQ(member_in(document, "a.b"), 1);
  EXPECT_TRUE(member_in(document, "a.c").is_null());
  EXPECT_TRUE(member_in(document, "a.b.c").is_null());
}

}  // namespace
}  // namespace stepcast

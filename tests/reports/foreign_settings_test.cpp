#include "reports/foreign_settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stepcast {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ForeignSettings, LastValueOfAKeyCounts) {
  ForeignSettings settings("f", {{"--n", "1"}, {"--n", "2"}});
  EXPECT_EQ(settings.count("--n"), 2);
}

TEST(ForeignSettings, NamesWhatNobodyAskedFor) {
  ForeignSettings settings("f", {{"b", ""}, {"a", "1"}, {"c", ""}});
  EXPECT_TRUE(settings.has("b"));
  settings.ignore({"c"});
  EXPECT_THAT(settings.unused(), ElementsAre("a"));
}

TEST(ForeignSettings, AutoIsNoValue) {
  ForeignSettings settings("f", {{"n", "auto"}, {"on", "auto"}});
  EXPECT_FALSE(settings.count("n"));
  EXPECT_TRUE(settings.boolean("on", true));
  EXPECT_NO_THROW(settings.throw_if_problems());
}

TEST(ForeignSettings, ReportsEveryWrongValue) {
  ForeignSettings settings("f", {{"n", "0"}, {"x", "nan"}, {"on", "maybe"}, {"m", "$NODES"}});
  EXPECT_FALSE(settings.count("n"));
  EXPECT_FALSE(settings.number("x"));
  EXPECT_FALSE(settings.boolean("on", true));
  EXPECT_FALSE(settings.count("m"));
  try {
    settings.throw_if_problems();
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(
        error.problems(),
        ElementsAre(Problem{"f", "n", "must be a whole number >= 1, found \"0\""},
                    Problem{"f", "x", "must be a number >= 0, found \"nan\""},
                    Problem{"f", "on", "must be true or false, found \"maybe\""},
                    Problem{"f", "m",
                            "must be a whole number >= 1, found \"$NODES\", which this file does "
                            "not define"}));
  }
}

TEST(ForeignSettings, SwitchWithoutValueIsOn) {
  ForeignSettings settings("f", {{"on", ""}, {"off", "False"}});
  EXPECT_TRUE(settings.boolean("on", false));
  EXPECT_FALSE(settings.boolean("off", true));
  EXPECT_THAT(settings.remarks(), IsEmpty());
}

}  // namespace
}  // namespace stepcast

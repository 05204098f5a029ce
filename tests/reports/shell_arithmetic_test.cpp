#include "reports/shell_arithmetic.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

std::optional<std::int64_t> value(const std::string& expression) {
  return shell_arithmetic(expression, [](const std::string& name) -> std::optional<std::string> {
    if (name == "N") return "4";
    if (name == "TEXT") return "four";
    return std::nullopt;
  });
}

TEST(ShellArithmetic, ProductsComeBeforeSums) {
  EXPECT_EQ(value("2 + 3 * 4"), 14);
  EXPECT_EQ(value("(2 + 3) * 4 - 1"), 19);
  EXPECT_EQ(value("17 / 4 % 3"), 1);
}

TEST(ShellArithmetic, NamesHaveTheirValueWithOrWithoutDollar) { EXPECT_EQ(value("$N*${N}+N"), 20); }

TEST(ShellArithmetic, AnythingElseHasNoValue) {
  for (const char* expression : {"", "2 +", "X * 2", "TEXT", "1 / 0", "(1", "2 ** 3", "1 << 2",
                                 "9007199254740992 * 9007199254740992", "99999999999999999999"})
    EXPECT_FALSE(value(expression)) << expression;
}

TEST(ShellArithmetic, DeepParenthesesHaveNoValue) { EXPECT_FALSE(value(std::string(100000, '('))); }

}  // namespace
}  // namespace stepcast

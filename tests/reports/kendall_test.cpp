#include <gtest/gtest.h>

#include <cmath>

#include "reports/score.hpp"

namespace stepcast {
namespace {

TEST(KendallTauB, IsOneForTheSameOrderAndMinusOneForTheReverse) {
  EXPECT_DOUBLE_EQ(*kendall_tau_b({{1, 10, ""}, {2, 20, ""}, {3, 30, ""}}), 1.0);
  EXPECT_DOUBLE_EQ(*kendall_tau_b({{1, 30, ""}, {2, 20, ""}, {3, 10, ""}}), -1.0);
}

TEST(KendallTauB, CountsConcordantMinusDiscordantPairs) {
  // x 1 2 3 4, y 1 3 2 4: six pairs, one discordant: (5 - 1) / 6.
  EXPECT_DOUBLE_EQ(*kendall_tau_b({{1, 1, ""}, {2, 3, ""}, {3, 2, ""}, {4, 4, ""}}), 4.0 / 6.0);
}

TEST(KendallTauB, LeavesTiesOutOfTheDenominator) {
  // x 1 1 2, y 1 2 3: three pairs, one tied in x; C - D = 2; sqrt(2 * 3).
  EXPECT_DOUBLE_EQ(*kendall_tau_b({{1, 1, ""}, {1, 2, ""}, {2, 3, ""}}), 2.0 / std::sqrt(6.0));
}

TEST(KendallTauB, ComparesWithinGroupsOnly) {
  // Across groups the order is reversed, inside each it is kept.
  EXPECT_DOUBLE_EQ(*kendall_tau_b({{1, 100, "a"}, {2, 200, "a"}, {10, 1, "b"}, {20, 2, "b"}}), 1.0);
}

TEST(KendallTauB, SaysNothingWithoutOrder) {
  EXPECT_FALSE(kendall_tau_b({}));
  EXPECT_FALSE(kendall_tau_b({{1, 1, ""}}));
  EXPECT_FALSE(kendall_tau_b({{1, 1, ""}, {1, 2, ""}}));
  EXPECT_FALSE(kendall_tau_b({{1, 1, "a"}, {2, 2, "b"}}));
}

}  // namespace
}  // namespace stepcast

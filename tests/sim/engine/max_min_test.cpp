#include "sim/engine/max_min.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace stepcast {
namespace {

using testing::DoubleEq;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;

using Usages = std::vector<MaxMinProblem::Usage>;

struct Case {
  std::vector<double> capacities;
  std::vector<double> caps;
  std::vector<Usages> usages;  // by task
};

std::vector<double> solve(MaxMinSolver& solver, const Case& of) {
  std::vector<std::uint32_t> first{0};
  Usages all;
  for (const Usages& usages : of.usages) {
    all.insert(all.end(), usages.begin(), usages.end());
    first.push_back(static_cast<std::uint32_t>(all.size()));
  }
  const auto speeds = solver.solve({of.caps, of.capacities, first, all});
  return {speeds.begin(), speeds.end()};
}

std::vector<double> solve(const Case& of) {
  MaxMinSolver solver;
  return solve(solver, of);
}

TEST(MaxMin, HasNoSpeedsForNoTasks) {
  EXPECT_THAT(solve({.capacities = {}, .caps = {}, .usages = {}}), IsEmpty());
}

TEST(MaxMin, GivesTheCapToATaskThatUsesNothing) {
  EXPECT_THAT(solve({.capacities = {}, .caps = {0.7}, .usages = {{}}}), ElementsAre(0.7));
}

TEST(MaxMin, SplitsALinkInHalf) {
  EXPECT_THAT(solve({.capacities = {50e9}, .caps = {1, 1}, .usages = {{{0, 50e9}}, {{0, 50e9}}}}),
              ElementsAre(0.5, 0.5));
}

// The textbook network: flow 0 crosses both links, flows 1 and 2 one each. Link 0 gives 1/2 to
// each of its two; flow 2 takes what flow 0 leaves of link 1, 1.4 - 0.5.
TEST(MaxMin, GivesTheThirdFlowWhatTheBottleneckedOneLeaves) {
  EXPECT_THAT(solve({.capacities = {1.0, 1.4},
                     .caps = {1, 1, 1},
                     .usages = {{{0, 1.0}, {1, 1.0}}, {{0, 1.0}}, {{1, 1.0}}}}),
              ElementsAre(DoubleEq(0.5), DoubleEq(0.5), DoubleEq(0.9)));
}

// Three tasks on a link of 1: the one capped at 0.1 leaves 0.9 for the two others.
TEST(MaxMin, PassesOnWhatACappedTaskLeaves) {
  EXPECT_THAT(solve({.capacities = {1.0},
                     .caps = {1.0, 0.1, 1.0},
                     .usages = {{{0, 1.0}}, {{0, 1.0}}, {{0, 1.0}}}}),
              ElementsAre(DoubleEq(0.45), DoubleEq(0.1), DoubleEq(0.45)));
}

// Speeds are equal, not rates: x * (1 + 3) = 2.
TEST(MaxMin, EqualisesSpeedsOfUnequalAmounts) {
  EXPECT_THAT(solve({.capacities = {2.0}, .caps = {1, 1}, .usages = {{{0, 1.0}}, {{0, 3.0}}}}),
              ElementsAre(DoubleEq(0.5), DoubleEq(0.5)));
}

TEST(MaxMin, StopsTasksOfAnEmptyResource) {
  EXPECT_THAT(
      solve(
          {.capacities = {0.0, 1.0}, .caps = {1, 1}, .usages = {{{0, 1.0}, {1, 1.0}}, {{1, 0.5}}}}),
      ElementsAre(0.0, 1.0));
}

// A chain of ever wider links: task i uses links i and i + 1. Link 0 (capacity 0.5) holds task 0
// to 0.5; link 1 (1.1) leaves 0.6 to task 1; link 2 (1.3) leaves 0.7 to task 2.
TEST(MaxMin, FillsResourcesOneAfterTheOther) {
  EXPECT_THAT(solve({.capacities = {0.5, 1.1, 1.3},
                     .caps = {1, 1, 1},
                     .usages = {{{0, 1.0}, {1, 1.0}}, {{1, 1.0}, {2, 1.0}}, {{2, 1.0}}}}),
              ElementsAre(DoubleEq(0.5), DoubleEq(0.6), DoubleEq(0.7)));
}

// The first task takes 1e16/3 * 1e-17 = 1/30; the others share 29/30: x * (1.7 + 0.1) = 29/30.
// Doubles near 1e16/3 are 0.5 apart, so its amount must not linger in a running sum.
TEST(MaxMin, KeepsSmallAmountsExactBesideALargeOne) {
  const double speed = 29.0 / 30.0 / 1.8;
  EXPECT_THAT(solve({.capacities = {1.0},
                     .caps = {1e-17, 1, 1},
                     .usages = {{{0, 1e16 / 3}}, {{0, 1.7}}, {{0, 0.1}}}}),
              ElementsAre(1e-17, DoubleNear(speed, 1e-15), DoubleNear(speed, 1e-15)));
}

Case random_case(std::mt19937& random) {
  Case of;
  const std::size_t resources = 1 + random() % 8;
  for (std::size_t r = 0; r < resources; ++r)
    of.capacities.push_back(0.25 * static_cast<double>(1 + random() % 12));
  const std::size_t tasks = 1 + random() % 12;
  for (std::size_t t = 0; t < tasks; ++t) {
    of.caps.push_back(random() % 3 == 0 ? 0.1 * static_cast<double>(1 + random() % 9) : 1.0);
    Usages usages;
    for (std::uint32_t r = 0; r < resources; ++r)
      if (random() % 3 == 0) usages.push_back({r, 0.3 * static_cast<double>(1 + random() % 10)});
    of.usages.push_back(usages);
  }
  return of;
}

std::vector<double> loads(const Case& of, const std::vector<double>& speeds) {
  std::vector<double> result(of.capacities.size());
  for (std::size_t t = 0; t < speeds.size(); ++t)
    for (const auto& usage : of.usages[t]) result[usage.resource] += usage.amount * speeds[t];
  return result;
}

double fastest_on(const Case& of, const std::vector<double>& speeds, std::uint32_t resource) {
  double fastest = 0.0;
  for (std::size_t t = 0; t < speeds.size(); ++t)
    for (const auto& usage : of.usages[t])
      if (usage.resource == resource) fastest = std::max(fastest, speeds[t]);
  return fastest;
}

// The definition (Bertsekas and Gallager): feasible, and every task is at its cap or has a
// bottleneck: a full resource on which no task is faster.
TEST(MaxMin, MeetsTheDefinitionOnRandomProblems) {
  std::mt19937 random(7);
  MaxMinSolver solver;
  for (int round = 0; round < 3000; ++round) {
    const Case of = random_case(random);
    const std::vector<double> speeds = solve(solver, of);
    const std::vector<double> load = loads(of, speeds);
    for (std::size_t r = 0; r < load.size(); ++r)
      ASSERT_LE(load[r], of.capacities[r] * (1 + 1e-12)) << round;
    for (std::size_t t = 0; t < speeds.size(); ++t) {
      ASSERT_LE(speeds[t], of.caps[t]) << round;
      bool stopped = speeds[t] == of.caps[t];
      for (const auto& usage : of.usages[t])
        stopped = stopped || (load[usage.resource] >= of.capacities[usage.resource] * (1 - 1e-9) &&
                              speeds[t] >= fastest_on(of, speeds, usage.resource) * (1 - 1e-9));
      ASSERT_TRUE(stopped) << "task " << t << " of round " << round;
    }
  }
}

TEST(MaxMin, DoesNotDependOnTheOrderOfTasks) {
  std::mt19937 random(11);
  for (int round = 0; round < 500; ++round) {
    Case of = random_case(random);
    const std::vector<double> speeds = solve(of);
    std::reverse(of.caps.begin(), of.caps.end());
    std::reverse(of.usages.begin(), of.usages.end());
    std::vector<double> reversed = solve(of);
    std::reverse(reversed.begin(), reversed.end());
    for (std::size_t t = 0; t < speeds.size(); ++t)
      ASSERT_THAT(reversed[t], DoubleNear(speeds[t], 1e-12)) << round;
  }
}

TEST(MaxMin, SolvesAgainToTheSameBits) {
  std::mt19937 random(13);
  MaxMinSolver used;
  for (int round = 0; round < 500; ++round) {
    const Case of = random_case(random);
    ASSERT_EQ(solve(used, of), solve(of)) << round;
  }
}

}  // namespace
}  // namespace stepcast

#include "sim/plan/incumbents.hpp"

#include <gtest/gtest.h>

#include <random>

namespace stepcast {
namespace {

FoundCandidate found(std::int64_t tensor, double time, double memory, std::int64_t gpus = 8) {
  return {{.tensor = tensor}, {time, memory}, gpus};
}

constexpr double capacity = 100.0;  // the front's resolution is 1

TEST(Incumbents, KeepsTheBestOfEachCombinationOfDegrees) {
  Incumbents incumbents(Objective::time, 2, capacity);
  incumbents.add(found(1, 5, 10));
  incumbents.add(found(1, 4, 20));
  incumbents.add(found(2, 6, 10));
  incumbents.add(found(4, 7, 10));
  const std::vector<FoundCandidate> best = incumbents.best();
  ASSERT_EQ(best.size(), 2U);
  EXPECT_EQ(best[0].cost.time, 4);
  EXPECT_EQ(best[1].candidate.tensor, 2);
}

TEST(Incumbents, OnlyWhatBeatsItsOwnDegreesAndTheLastKeptMayBeBest) {
  Incumbents incumbents(Objective::time, 2, capacity);
  EXPECT_TRUE(incumbents.may_be_best({.tensor = 1}, {1e9, 1}, 8));
  incumbents.add(found(1, 5, 10));
  incumbents.add(found(2, 6, 10));
  EXPECT_FALSE(incumbents.may_be_best({.tensor = 1}, {5.5, 1}, 8));
  EXPECT_TRUE(incumbents.may_be_best({.tensor = 4}, {5.5, 1}, 8));
  EXPECT_FALSE(incumbents.may_be_best({.tensor = 4}, {6, 1}, 8));
}

TEST(Incumbents, FrontHoldsNothingThatAnotherPointBeats) {
  Incumbents incumbents(Objective::time, 5, capacity);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> any(60, 100);  // nothing twice as slow
  std::vector<FoundCandidate> all;
  for (int i = 0; i < 500; ++i) {
    all.push_back(found(1, any(random), any(random), i % 2 == 0 ? 8 : 9));
    incumbents.add(all.back());
  }
  for (const FoundCandidate& a : incumbents.front())
    for (const FoundCandidate& b : incumbents.front())
      EXPECT_FALSE(&a != &b && a.cost.time <= b.cost.time && a.cost.memory <= b.cost.memory &&
                   a.gpus <= b.gpus);
  // Everything is on the front, or a point of it is as fast and needs at most 1 % more memory.
  for (const FoundCandidate& one : all)
    EXPECT_TRUE(std::any_of(
        incumbents.front().begin(), incumbents.front().end(), [&](const FoundCandidate& point) {
          return point.cost.time <= one.cost.time && point.cost.memory <= one.cost.memory + 1.0 &&
                 point.gpus <= one.gpus;
        }));
}

TEST(Incumbents, FrontLeavesOutWhatTakesTwiceTheGpuTimeOfTheBest) {
  Incumbents incumbents(Objective::time, 5, capacity);
  incumbents.add(found(1, 25, 10));
  EXPECT_EQ(incumbents.front().size(), 1U);
  incumbents.add(found(2, 10, 80));
  ASSERT_EQ(incumbents.front().size(), 1U);
  EXPECT_EQ(incumbents.front().front().cost.time, 10);
  EXPECT_FALSE(incumbents.may_be_on_front({20.1, 1}, 8));
  EXPECT_TRUE(incumbents.may_be_on_front({19.9, 1}, 8));
}

TEST(Incumbents, ObjectiveDecidesWhatIsBetter) {
  const CandidateCost cost{10, 70};
  EXPECT_EQ(objective_value(Objective::time, cost, 64), 10);
  EXPECT_EQ(objective_value(Objective::gpu_hours, cost, 64), 640);
  EXPECT_EQ(objective_value(Objective::memory, cost, 64), 70);
}

}  // namespace
}  // namespace stepcast

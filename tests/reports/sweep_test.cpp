#include "reports/sweep.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/reports/sweep_fixtures.hpp"

namespace stepcast {
namespace {

using namespace report_fixtures;
using testing::ElementsAre;
using testing::Optional;

TEST(SweepPoints, AreTheProductWithTheLastAxisFastest) {
  const auto points = sweep_points({axis("parallel.tensor", AxisKind::value, {4, 8}),
                                    axis("network_GBps", AxisKind::rate, {25, 50})});
  ASSERT_EQ(points.size(), 4U);
  EXPECT_THAT(points[1].at, ElementsAre(0U, 1U));
  EXPECT_THAT(points[2].at, ElementsAre(1U, 0U));
  EXPECT_EQ(points[1].label, "parallel.tensor 4.0, network_GBps 50.0");
}

TEST(Evaluate, TakesTheFirstOfTheFastestThatFit) {
  InputSweep sweep = sweep_of(axis("x", AxisKind::value, {1, 2, 3, 4}), {0.0, 4.0, 8.0, 8.0});
  sweep.points[1].forecast->prediction.verdict = MemoryVerdict::out_of_memory;
  evaluate(sweep);
  EXPECT_THAT(sweep.best, Optional(2U));
}

TEST(Evaluate, KeepsWhatFailsWithItsReason) {
  InputSweep sweep = sweep_of(axis("x", AxisKind::value, {1, 2}), {0.0, 8.0});
  sweep.points[1].forecast->prediction.verdict = MemoryVerdict::out_of_memory;
  sweep.points[1].forecast->prediction.memory_capacity = gibibytes(50);
  evaluate(sweep);
  EXPECT_EQ(sweep.points[0].problem, "must be something else");
  EXPECT_EQ(sweep.points[1].problem,
            "out of memory: 59.0 of 50.0 GiB, 9.00 GiB (18.0 %) too much on stage 0");
  EXPECT_EQ(sweep.best, std::nullopt);
}

TEST(Evaluate, MeasuresScalingAgainstTheFirstPointWithAForecast) {
  // Strong scaling: 8 GPUs 8 s, 16 GPUs 5 s: half of 8 s would be perfect, 4 / 5 = 0.8.
  InputSweep sweep = sweep_of(axis("gpus", AxisKind::gpus, {4, 8, 16}), {0.0, 8.0, 5.0});
  evaluate(sweep);
  EXPECT_EQ(sweep.points[0].scaling_efficiency, std::nullopt);
  EXPECT_THAT(sweep.points[1].scaling_efficiency, Optional(1.0));
  EXPECT_THAT(sweep.points[2].scaling_efficiency, Optional(testing::DoubleEq(0.8)));
}

TEST(Evaluate, MeasuresNoScalingOfOtherAxes) {
  InputSweep sweep = sweep_of(axis("x", AxisKind::value, {1, 2}), {8.0, 4.0});
  evaluate(sweep);
  EXPECT_EQ(sweep.points[1].scaling_efficiency, std::nullopt);
}

TEST(Evaluate, LooksForAKneeOfTheRateForEachValueOfTheOtherAxis) {
  InputSweep sweep;
  sweep.axes = {axis("parallel.tensor", AxisKind::value, {4, 8}),
                axis("network_GBps", AxisKind::rate, {25, 50, 100})};
  sweep.points = sweep_points(sweep.axes);
  const double steps[] = {8.0, 7.9, 7.9, 9.0, 8.0, 7.9};  // 1.3 %, 0; then 12.5 %, 1.3 %
  for (std::size_t i = 0; i < 6; ++i)
    sweep.points[i].forecast = forecast(sweep.points[i].label, with_step(steps[i]));
  evaluate(sweep);
  ASSERT_EQ(sweep.knees.size(), 2U);
  EXPECT_EQ(sweep.knees[0].axis, 1U);
  EXPECT_THAT(sweep.knees[0].value, Optional(0U));
  EXPECT_EQ(sweep.knees[0].other, "parallel.tensor 4.0");
  EXPECT_THAT(sweep.knees[1].value, Optional(1U));
  EXPECT_EQ(sweep.knees[1].other, "parallel.tensor 8.0");
}

TEST(Evaluate, LeavesOutOfKneesWhatDoesNotFit) {
  InputSweep sweep = sweep_of(axis("network_GBps", AxisKind::rate, {25, 50, 100}), {8, 7.9, 7.9});
  for (SweepPoint& point : sweep.points)
    point.forecast->prediction.verdict = MemoryVerdict::out_of_memory;
  evaluate(sweep);
  EXPECT_EQ(sweep.knees.at(0).value, std::nullopt);
}

}  // namespace
}  // namespace stepcast

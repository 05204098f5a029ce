#include "reports/sweep_knee.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/reports/sweep_fixtures.hpp"

namespace stepcast {
namespace {

using namespace report_fixtures;
using testing::Optional;

Knee knee_of(const SweepAxis& axis, const std::vector<double>& steps) {
  InputSweep sweep = sweep_of(axis, steps);
  evaluate(sweep);
  return sweep.knees.at(0);
}

const std::vector<double> rates{12.5, 25, 50, 100};

TEST(RateKnee, IsTheSmallestValueWhoseDoubleGainsLessThanTwoPercent) {
  // 10 to 8 s: 25 %; 8 to 7.9 s: 1.27 %.
  const Knee knee = knee_of(axis("network_GBps", AxisKind::rate, rates), {10.0, 8.0, 7.9, 7.88});
  EXPECT_THAT(knee.value, Optional(1U));
  EXPECT_EQ(knee.reason,
            "from 25.0 to 50.0 throughput grows by 1.27 % (step 8.00 s to 7.90 s), less than 2 % a "
            "doubling; from 12.5 to 25.0 throughput grows by 25.0 % (step 10.0 s to 8.00 s)");
}

TEST(RateKnee, MayBeTheSmallestValueSwept) {
  const Knee knee = knee_of(axis("network_GBps", AxisKind::rate, rates), {8.0, 7.9, 7.9, 7.9});
  EXPECT_THAT(knee.value, Optional(0U));
  EXPECT_THAT(knee.reason, testing::EndsWith("a doubling; it is the smallest value swept"));
}

TEST(RateKnee, IsMissingWhereEveryDoublingPays) {
  const Knee knee = knee_of(axis("network_GBps", AxisKind::rate, rates), {16.0, 12.0, 10.0, 9.0});
  EXPECT_EQ(knee.value, std::nullopt);
  EXPECT_EQ(knee.reason,
            "beyond the values swept: from 50.0 to 100.0 throughput grows by 11.1 % (step 10.0 s "
            "to 9.00 s), still 2 % a doubling or more");
}

TEST(RateKnee, TakesForTheDoubleTheSmallestValueThatIsAtLeastTwice) {
  // 20 to 50 (not 30): 1.27 % although it is more than a doubling.
  const Knee knee = knee_of(axis("network_GBps", AxisKind::rate, {20, 30, 50}), {8.0, 7.95, 7.9});
  EXPECT_THAT(knee.value, Optional(0U));
  EXPECT_THAT(knee.reason, testing::StartsWith("from 20.0 to 50.0 "));
}

TEST(RateKnee, DoesNotDependOnTheOrderOfValues) {
  const Knee knee =
      knee_of(axis("network_GBps", AxisKind::rate, {100, 50, 25, 12.5}), {7.88, 7.9, 8.0, 10.0});
  EXPECT_THAT(knee.value, Optional(2U));
}

TEST(RateKnee, NeedsValuesAFactorOfTwoApart) {
  const Knee knee = knee_of(axis("network_GBps", AxisKind::rate, {40, 50, 60}), {8.0, 8.0, 8.0});
  EXPECT_EQ(knee.value, std::nullopt);
  EXPECT_EQ(knee.reason, "no value that fits has one of at least twice its size beside it");
}

TEST(GpuKnee, IsTheLargestCountThatScalesToNinetyPercent) {
  // Perfect would be 8, 4, 2, 1 s: 4 / 4.25 = 94.1 %, 2 / 2.5 = 80 %.
  const Knee knee = knee_of(axis("gpus", AxisKind::gpus, {8, 16, 32, 64}), {8.0, 4.25, 2.5, 2.0});
  EXPECT_THAT(knee.value, Optional(1U));
  EXPECT_EQ(knee.reason,
            "scaling efficiency is 94.1 % at 16.0 GPUs, at least 90 %; 80.0 % at 32.0 GPUs");
}

TEST(GpuKnee, SaysWhenItIsTheLargestSwept) {
  const Knee knee = knee_of(axis("gpus", AxisKind::gpus, {8, 16}), {8.0, 4.0});
  EXPECT_THAT(knee.value, Optional(1U));
  EXPECT_THAT(knee.reason, testing::EndsWith("it is the largest value swept that fits"));
}

TEST(ValueKnee, IsAMaximumInside) {
  const Knee knee = knee_of(axis("training.sequence_length", AxisKind::value, {4096, 8192, 16384}),
                            {9.0, 8.0, 10.0});
  EXPECT_THAT(knee.value, Optional(1U));
  EXPECT_EQ(knee.reason,
            "tokens/s/GPU is highest here: 1020 at 8192.0, 910 at 4096.0 and 819 at 16384.0");
}

TEST(ValueKnee, IsMissingWhereAnEndIsBest) {
  const Knee knee = knee_of(axis("parallel.tensor", AxisKind::value, {1, 2}), {8.0, 9.0});
  EXPECT_EQ(knee.value, std::nullopt);
  EXPECT_EQ(knee.reason, "tokens/s/GPU is highest at an end of the values swept: 1020 at 1.0");
}

TEST(ValueKnee, NeedsNumbersWithForecasts) {
  SweepAxis words{"training.recompute", "", AxisKind::value, {}};
  words.values = {{"\"none\"", "none", {}}, {"\"full\"", "full", {}}};
  EXPECT_EQ(knee_of(words, {8.0, 9.0}).reason, "its values are no numbers");
  EXPECT_EQ(knee_of(axis("x", AxisKind::value, {1, 2}), {8.0, 0.0}).reason,
            "fewer than two of its numbers have a forecast that fits");
}

}  // namespace
}  // namespace stepcast

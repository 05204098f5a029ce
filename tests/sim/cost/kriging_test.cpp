#include "sim/cost/kriging.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace stepcast {
namespace {

KrigingSample sample(double x, double y, double value, double noise = 0.0) {
  return {.at = {x, y, 0.0}, .value = value, .noise = noise, .point = 0};
}

const KrigingOptions unit{{1.0, 1.0, 1.0}, 0.1};

TEST(Kriging, ReturnsAnExactSampleAtItsPlace) {
  const Kriging kriging(unit, {sample(3.0, 5.0, 0.25)});
  const Kriging::Value value = kriging.at({3.0, 5.0, 0.0});
  EXPECT_DOUBLE_EQ(value.mean, 0.25);
  EXPECT_DOUBLE_EQ(value.sigma, 0.0);
}

TEST(Kriging, ForgetsASampleWithDistance) {
  // One sample: mean = value e^-d, sigma = amplitude sqrt(1 - e^-2d).
  const Kriging kriging(unit, {sample(0.0, 0.0, 0.2)});
  const Kriging::Value value = kriging.at({2.0, 0.0, 0.0});
  EXPECT_DOUBLE_EQ(value.mean, 0.2 * std::exp(-2.0));
  EXPECT_DOUBLE_EQ(value.sigma, 0.1 * std::sqrt(1.0 - std::exp(-4.0)));
}

TEST(Kriging, MeasuresDistanceInLengthsOfEachAxis) {
  // (3 / 1.5, 4 / 2, 1 / 1): distance 3.
  const Kriging kriging({{1.5, 2.0, 1.0}, 0.1}, {sample(0.0, 0.0, 1.0)});
  EXPECT_DOUBLE_EQ(kriging.at({3.0, 4.0, 1.0}).mean, std::exp(-3.0));
}

TEST(Kriging, HalvesASampleWhoseNoiseIsTheAmplitude) {
  // covariance / (covariance + noise^2) = 0.01 / 0.02.
  const Kriging kriging(unit, {sample(0.0, 0.0, 0.3, 0.1)});
  EXPECT_DOUBLE_EQ(kriging.at({0.0, 0.0, 0.0}).mean, 0.15);
}

TEST(Kriging, WeighsTwoSamplesByTheirCovariance) {
  // Places -1 and 1, asked at 0: both weights e^-1 / (1 + e^-2).
  const Kriging kriging(unit, {sample(-1.0, 0.0, 0.1), sample(1.0, 0.0, 0.3)});
  const double weight = std::exp(-1.0) / (1.0 + std::exp(-2.0));
  EXPECT_NEAR(kriging.at({0.0, 0.0, 0.0}).mean, weight * 0.4, 1e-15);
}

TEST(Kriging, LeavesOutWhatItIsToldTo) {
  std::vector<KrigingSample> samples{sample(0.0, 0.0, 1.0), sample(1.0, 0.0, 3.0)};
  samples[0].point = 7;
  const Kriging kriging(unit, samples);
  const Kriging::Value value =
      kriging.at({0.0, 0.0, 0.0}, [](std::size_t point) { return point == 7; });
  EXPECT_DOUBLE_EQ(value.mean, 3.0 * std::exp(-1.0));
}

TEST(Kriging, IsZeroWithFullDoubtWithoutSamples) {
  const Kriging kriging(unit, {});
  EXPECT_TRUE(kriging.empty());
  EXPECT_DOUBLE_EQ(kriging.at({0.0, 0.0, 0.0}).mean, 0.0);
  EXPECT_DOUBLE_EQ(kriging.at({0.0, 0.0, 0.0}).sigma, 0.1);
}

TEST(Kriging, AnswersAmongMoreSamplesThanItUses) {
  // 1,000 exact samples of one value: the answer at a sample is that value.
  std::vector<KrigingSample> samples;
  for (int i = 0; i < 1000; ++i) samples.push_back(sample(i % 40, i / 40, 0.5));
  const Kriging kriging(unit, samples);
  EXPECT_NEAR(kriging.at({17.0, 11.0, 0.0}).mean, 0.5, 1e-12);
}

}  // namespace
}  // namespace stepcast

#include "sim/cost/gemm_model.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace stepcast {
namespace {

const GemmDevice device{108.0, FlopsPerSecond{312e12}, BytesPerSecond{2.039e12}};

GemmFit fit_without_noise() {
  GemmFit fit;
  fit.kriging = {.length_m = 1.0,
                 .length_n = 1.0,
                 .length_k = 1.0,
                 .amplitude = 0.1,
                 .noise = 0.0,
                 .mirror_noise = 0.0};
  return fit;
}

GemmPoint point(const GemmShape& shape, double time_us) {
  return {shape, DataType::bf16, microseconds(time_us), microseconds(time_us),
          microseconds(time_us)};
}

GemmModel model(const std::vector<GemmPoint>& points, const GemmFit& fit = fit_without_noise()) {
  return GemmModel(device, DataType::bf16, fit, points);
}

TEST(GemmModel, ReturnsTheMeasurementOfAMeasuredShape) {
  GemmPoint measured = point({1024, 2048, 4096}, 88.0);
  measured.low = microseconds(80.0);
  measured.high = microseconds(80.0 * std::exp(0.32));
  const Estimate estimate = model({measured}).time({1024, 2048, 4096});
  EXPECT_EQ(estimate.time, microseconds(88.0));
  EXPECT_EQ(estimate.basis, Basis::measured);
  EXPECT_NEAR(estimate.relative_sigma, 0.32 / 3.2, 1e-12);  // range over 3.2 deviations
}

TEST(GemmModel, CarriesTheResidualToANeighbour) {
  // One octave in k away, length 1: the residual ln(measured / base) fades by e^-1. (A square
  // output has no mirror image beside it.)
  const GemmModel one = model({point({2048, 2048, 4096}, 200.0)});
  const double residual = std::log(200e-6 / one.base_time({2048, 2048, 4096}).value());
  const GemmShape asked{2048, 2048, 8192};
  EXPECT_NEAR(one.time(asked).time.value(),
              one.base_time(asked).value() * std::exp(residual * std::exp(-1.0)), 1e-12);
}

TEST(GemmModel, TakesAProductForItsMirrorImage) {
  const GemmModel one = model({point({1024, 2048, 4096}, 100.0)});
  EXPECT_NEAR(one.time({2048, 1024, 4096}).time.value(), 100e-6, 1e-12);
}

TEST(GemmModel, TrustsTheMirrorImageLess) {
  GemmFit fit = fit_without_noise();
  fit.kriging.length_m = fit.kriging.length_n = 0.01;  // the product itself is out of reach
  fit.kriging.mirror_noise = 0.1;                      // as the amplitude: counts half
  const GemmModel one = model({point({1024, 2048, 4096}, 100.0)}, fit);
  const double base = one.base_time({2048, 1024, 4096}).value();
  EXPECT_NEAR(one.time({2048, 1024, 4096}).time.value(), base * std::sqrt(100e-6 / base), 1e-12);
}

TEST(GemmModel, BecomesTheAnalyticalTimeFarAway) {
  const GemmModel one = model({point({128, 128, 128}, 100.0)});
  const GemmShape far{1 << 20, 1 << 20, 1 << 20};
  EXPECT_NEAR(one.time(far).time / one.base_time(far), 1.0, 1e-9);
  EXPECT_NEAR(one.time(far).relative_sigma, 0.1, 1e-9);
}

TEST(GemmModel, SaysWhetherTheShapeLiesInsideTheTable) {
  const GemmModel table = model({point({128, 512, 512}, 10.0), point({4096, 8192, 8192}, 2000.0)});
  EXPECT_EQ(table.time({256, 1024, 1024}).basis, Basis::interpolated);
  EXPECT_EQ(table.time({8192, 256, 1024}).basis, Basis::interpolated);  // as its mirror image
  EXPECT_EQ(table.time({256, 1024, 16384}).basis, Basis::extrapolated);
  EXPECT_EQ(table.time({64, 64, 1024}).basis, Basis::extrapolated);
}

TEST(GemmModel, IsAnalyticalWithoutATable) {
  const Estimate estimate = model({}).time({256, 1024, 1024});
  EXPECT_EQ(estimate.basis, Basis::analytical);
  EXPECT_EQ(estimate.time, model({}).base_time({256, 1024, 1024}));
}

TEST(GemmModel, IgnoresPointsOfOtherTypes) {
  GemmPoint other = point({256, 1024, 1024}, 10.0);
  other.type = DataType::fp8;
  EXPECT_TRUE(model({other}).points().empty());
}

TEST(GemmModel, LeavesOutAPointOrItsWholeSite) {
  // The neighbour in m belongs to the same (n, k); the one in k does not.
  const GemmModel table = model({point({1024, 2048, 4096}, 100.0), point({2048, 2048, 4096}, 250.0),
                                 point({1024, 2048, 8192}, 220.0)});
  const GemmShape asked{1024, 2048, 4096};
  const auto without = [&](GemmModel::LeftOut left_out) {
    return table.time_without(asked, left_out).time;
  };
  const Seconds by_neighbour_in_k = model({point({1024, 2048, 8192}, 220.0)}).time(asked).time;
  EXPECT_NEAR(without(GemmModel::LeftOut::site) / by_neighbour_in_k, 1.0, 1e-12);
  EXPECT_NEAR(without(GemmModel::LeftOut::nothing).value(), 100e-6, 1e-12);
  const GemmModel both =
      model({point({2048, 2048, 4096}, 250.0), point({1024, 2048, 8192}, 220.0)});
  EXPECT_NEAR(without(GemmModel::LeftOut::point) / both.time(asked).time, 1.0, 1e-12);
}

TEST(GemmModel, DoubtsMoreWithDistance) {
  const GemmModel one = model({point({1024, 1024, 1024}, 20.0)});
  double sigma = 0.0;
  for (const std::int64_t k : {1100, 1500, 2048, 4096, 16384}) {
    const double next = one.time({1024, 1024, k}).relative_sigma;
    EXPECT_GT(next, sigma);
    sigma = next;
  }
}

}  // namespace
}  // namespace stepcast

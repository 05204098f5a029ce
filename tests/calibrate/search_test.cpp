#include "calibrate/search.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace stepcast::calibrate {
namespace {

TEST(CoordinateSearch, FindsTheLeastValueOfASeparableFunction) {
  // |ln(x / 3)| + |ln(y / 0.5)| is least at (3, 0.5); steps end under 1 %.
  double x = 1.0;
  double y = 1.0;
  coordinate_search(
      {&x, &y}, [&] { return std::abs(std::log(x / 3.0)) + std::abs(std::log(y / 0.5)); }, 100,
      0.5);
  EXPECT_NEAR(x, 3.0, 0.03);
  EXPECT_NEAR(y, 0.5, 0.005);
}

TEST(CoordinateSearch, StaysWhereNothingIsBetter) {
  double x = 2.0;
  coordinate_search(
      {&x}, [&] { return std::abs(x - 2.0); }, 100, 0.5);
  EXPECT_EQ(x, 2.0);
}

TEST(CoordinateSearch, StopsAfterItsRounds) {
  double x = 1.0;
  coordinate_search(
      {&x}, [&] { return -x; }, 3, 1.0);  // three steps up
  EXPECT_NEAR(x, std::exp(3.0), 1e-9);
}

TEST(Rounded, KeepsSixDigits) {
  EXPECT_EQ(rounded(1.23456789e-6), 1.23457e-6);
  EXPECT_EQ(rounded(-98765.4321), -98765.4);
  EXPECT_EQ(rounded(0.0), 0.0);
}

}  // namespace
}  // namespace stepcast::calibrate

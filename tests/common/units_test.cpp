#include "common/units.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

TEST(Units, AddSubtractAndScale) {
  EXPECT_EQ(Bytes{3} + Bytes{4}, Bytes{7});
  EXPECT_EQ(Bytes{3} - Bytes{4}, Bytes{-1});
  EXPECT_EQ(Seconds{2} * 3.0, Seconds{6});
  EXPECT_EQ(3.0 * Seconds{2}, Seconds{6});
  EXPECT_EQ(Seconds{6} / 3.0, Seconds{2});
  EXPECT_EQ(Seconds{6} / Seconds{4}, 1.5);
  Seconds sum{1};
  sum += Seconds{2};
  EXPECT_EQ(sum, Seconds{3});
  EXPECT_LT(Seconds{1}, Seconds{2});
}

TEST(Units, DivideWorkByRate) {
  EXPECT_EQ(Bytes{8e9} / BytesPerSecond{2e9}, Seconds{4});
  EXPECT_EQ(Flops{989e12} / FlopsPerSecond{989e12}, Seconds{1});
  EXPECT_EQ(Bytes{8} / Seconds{4}, BytesPerSecond{2});
  EXPECT_EQ(Flops{8} / Seconds{4}, FlopsPerSecond{2});
  EXPECT_EQ(BytesPerSecond{8} * Seconds{4}, Bytes{32});
}

TEST(Units, ConvertPrefixes) {
  EXPECT_EQ(gibibytes(1.5), Bytes{1610612736});  // 1.5 * 2^30
  EXPECT_EQ(microseconds(2), Seconds{2e-6});
}

}  // namespace
}  // namespace stepcast

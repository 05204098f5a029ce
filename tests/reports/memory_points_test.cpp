#include "reports/memory_points.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace stepcast {
namespace {

TEST(Thin, KeepsShortTimelinesWhole) {
  const MemoryPoints points{{Seconds{0}, Bytes{1}}, {Seconds{1}, Bytes{3}}};
  EXPECT_EQ(thin(points, 2), points);
}

TEST(Thin, KeepsThePeakAndEveryStretchsExtremes) {
  // A saw of 1000 teeth with one higher: 10 stretches of 100 s, the lowest and highest of each.
  MemoryPoints points;
  for (int i = 0; i <= 1000; ++i)
    points.push_back({Seconds{1.0 * i}, Bytes{i == 537 ? 99.0 : i % 2 == 0 ? 1.0 : 2.0}});
  const MemoryPoints kept = thin(points, 20);
  EXPECT_EQ(kept.size(), 20U);
  EXPECT_NE(std::find(kept.begin(), kept.end(), std::pair{Seconds{537}, Bytes{99}}), kept.end());
  EXPECT_EQ(kept[0], (std::pair{Seconds{0}, Bytes{1}}));
  EXPECT_EQ(kept[1], (std::pair{Seconds{1}, Bytes{2}}));
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
}

TEST(Thin, TakesPointsAtOneMoment) {
  const MemoryPoints points(100, {Seconds{1}, Bytes{5}});
  EXPECT_EQ(thin(points, 4), (MemoryPoints{{Seconds{1}, Bytes{5}}}));
}

TEST(PointsOfAStage, ShareTheLimitWithinReason) {
  EXPECT_EQ(points_of_a_stage(40000, 4), 2000U);
  EXPECT_EQ(points_of_a_stage(40000, 100), 400U);
  EXPECT_EQ(points_of_a_stage(40000, 1000), 200U);
}

}  // namespace
}  // namespace stepcast

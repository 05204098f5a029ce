#include "reports/time_windows.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

using Windows = std::vector<TimeWindow>;

TEST(ShownWindows, AreTheWholeStepWhenItsBarsAreFew) {
  EXPECT_EQ(shown_windows(SimTime{1000}, 50, 50), (Windows{{SimTime{0}, SimTime{1000}}}));
}

TEST(ShownWindows, AreTwoFifthsAtEachEndAndAFifthInTheMiddle) {
  // Half of 1000 may be shown: 200, 100 and 200.
  EXPECT_EQ(shown_windows(SimTime{1000}, 100, 50), (Windows{{SimTime{0}, SimTime{200}},
                                                            {SimTime{450}, SimTime{550}},
                                                            {SimTime{800}, SimTime{1000}}}));
}

TEST(ShownWindows, ShowWhatReachesIntoThem) {
  const Windows windows{{SimTime{0}, SimTime{10}}, {SimTime{20}, SimTime{30}}};
  EXPECT_TRUE(is_shown(SimTime{9}, SimTime{12}, windows));
  EXPECT_FALSE(is_shown(SimTime{10}, SimTime{20}, windows));
  EXPECT_TRUE(is_shown(SimTime{12}, SimTime{40}, windows));
}

}  // namespace
}  // namespace stepcast

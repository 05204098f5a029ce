#include "common/sim_time.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace stepcast {
namespace {

TEST(SimTime, CountsPicoseconds) {
  EXPECT_EQ(after(SimTime{5}, Seconds{1e-6}), SimTime{1000005});
  EXPECT_EQ(after(SimTime{0}, Seconds{0.4e-12}), SimTime{0});  // rounded to nearest
  EXPECT_EQ(to_seconds(SimTime{2500000000000}), Seconds{2.5});
}

TEST(SimTime, RefusesCostsThatCannotBeScheduled) {
  EXPECT_THROW((void)after(SimTime{0}, Seconds{-1}), std::domain_error);
  EXPECT_THROW((void)after(SimTime{0}, Seconds{std::numeric_limits<double>::quiet_NaN()}),
               std::domain_error);
  EXPECT_THROW((void)after(SimTime{0}, Seconds{1e7}), std::domain_error);  // > 106 days
}

}  // namespace
}  // namespace stepcast

#include "reports/profile_summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stepcast {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

TEST(ProfileSummary, ShowsDevicePointsAndConstants) {
  const std::string text = profile_summary(load_profile("h100-sxm"));
  EXPECT_THAT(text, HasSubstr("peak bf16 (TFLOP/s)"));
  EXPECT_THAT(text, HasSubstr("gemm bf16"));
  EXPECT_THAT(text, HasSubstr("all_reduce, 8 ranks"));
  EXPECT_THAT(text, HasSubstr("host.kernel_gap_s"));
  EXPECT_THAT(text, HasSubstr("\nsources\n"));
}

TEST(ProfileGaps, NamesWhatWasNotMeasured) {
  const std::vector<std::string> gaps = profile_gaps(Profile{});
  EXPECT_THAT(gaps, Contains("no GEMM was measured: rates are analytical"));
  EXPECT_THAT(gaps, Contains("no attention forward was measured"));
  EXPECT_THAT(gaps, Contains("no attention backward was measured"));
  EXPECT_THAT(gaps, Contains("no rate for memory-bound kernel softmax"));
  EXPECT_THAT(gaps, Contains("no collective was measured"));
}

TEST(ProfileGaps, NamesAssumptions) {
  Profile profile;
  profile.constants["a"].status = "assumption";
  profile.constants["b"].status = "measured";
  EXPECT_THAT(profile_gaps(profile), Contains("constant a is an assumption"));
  EXPECT_THAT(profile_gaps(profile), Not(Contains("constant b is an assumption")));
}

}  // namespace
}  // namespace stepcast

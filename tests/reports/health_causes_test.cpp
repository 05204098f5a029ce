#include "reports/health_causes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "reports/profile_library.hpp"
#include "sim/network/collectives.hpp"

namespace stepcast {
namespace {

TEST(LikelyFaults, OfOneServerIsOnlyNvlink) {
  const auto faults = likely_faults(load_cluster("dgx-h100:1"), 8);
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].name, "NVLink unused: traffic takes the PCIe path");
}

class LikelyCause : public testing::Test {
 protected:
  Seconds time_on(const Cluster& cluster, const Placement& placement) {
    return CollectiveModel(cluster, loaded_.profile, *loaded_.costs)
        .estimate(CollectiveOp::all_reduce, size_, placement)
        .time();
  }
  std::string cause_of(Seconds measured) {
    return likely_cause(faults_, CollectiveOp::all_reduce, size_, measured,
                        time_on(healthy_, place_first_ranks(healthy_, 32)), loaded_.profile,
                        *loaded_.costs);
  }

  const Bytes size_{1 << 30};
  const std::string none_ = "none of the faults that are tried comes near";
  const Cluster healthy_ = load_cluster("dgx-h100:4");
  const std::vector<Fault> faults_ = likely_faults(healthy_, 32);
  ProfileLibrary profiles_;
  const LoadedProfile& loaded_ = profiles_.get("h100-sxm");
};

// Each fault's own forecast, given as the measurement, names it or one that costs as much.
TEST_F(LikelyCause, IsTheFaultWhoseTimeItIs) {
  ASSERT_GE(faults_.size(), 4U);
  for (const Fault& fault : faults_) {
    const Seconds time = time_on(fault.cluster, fault.placement);
    const std::string cause = cause_of(time);
    const auto found = std::find_if(faults_.begin(), faults_.end(),
                                    [&](const Fault& one) { return one.name == cause; });
    ASSERT_NE(found, faults_.end()) << fault.name << ": " << cause;
    EXPECT_NEAR(time_on(found->cluster, found->placement) / time, 1.0, 1e-9)
        << fault.name << " was called " << cause;
  }
}

TEST_F(LikelyCause, IsNoneWhenNothingComesNear) { EXPECT_EQ(cause_of(Seconds{1000.0}), none_); }

TEST_F(LikelyCause, IsNoneWhereTheHealthyForecastIsNearest) {
  EXPECT_EQ(cause_of(time_on(healthy_, place_first_ranks(healthy_, 32)) * 1.01), none_);
}

}  // namespace
}  // namespace stepcast

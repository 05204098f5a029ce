#include "reports/health_causes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/profile_library.hpp"
#include "sim/network/collectives.hpp"

namespace stepcast {
namespace {

TEST(LikelyFaults, OfOneServerIsOnlyNvlink) {
  const auto faults = likely_faults(load_cluster("dgx-h100:1"), 8);
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].name, "NVLink unused: traffic takes the PCIe path");
}

// Each fault's own forecast, given as the measurement, names that fault or one that costs as much.
TEST(LikelyCause, NamesTheFaultWhoseTimeItIs) {
  ProfileLibrary profiles;
  const LoadedProfile& loaded = profiles.get("h100-sxm");
  const auto faults = likely_faults(load_cluster("dgx-h100:4"), 32);
  ASSERT_GE(faults.size(), 4U);
  const Bytes size{1 << 30};
  for (const Fault& fault : faults) {
    const CollectiveModel model(fault.cluster, loaded.profile, *loaded.costs);
    const Seconds time = model.estimate(CollectiveOp::all_reduce, size, fault.placement).time();
    const std::string cause =
        likely_cause(faults, CollectiveOp::all_reduce, size, time, loaded.profile, *loaded.costs);
    for (const Fault& named : faults) {
      if (named.name != cause) continue;
      const CollectiveModel other(named.cluster, loaded.profile, *loaded.costs);
      EXPECT_NEAR(other.estimate(CollectiveOp::all_reduce, size, named.placement).time() / time,
                  1.0, 1e-9)
          << fault.name << " was called " << cause;
    }
  }
}

TEST(LikelyCause, SaysWhenNothingComesNear) {
  ProfileLibrary profiles;
  const LoadedProfile& loaded = profiles.get("h100-sxm");
  EXPECT_EQ(likely_cause(likely_faults(load_cluster("dgx-h100:2"), 16), CollectiveOp::all_reduce,
                         Bytes{1 << 30}, Seconds{1000.0}, loaded.profile, *loaded.costs),
            "none of the faults that are tried comes near");
}

}  // namespace
}  // namespace stepcast

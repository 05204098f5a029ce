#include "reports/profile_library.hpp"

#include <gtest/gtest.h>

#include "common/errors.hpp"

namespace stepcast {
namespace {

TEST(ProfileLibrary, LoadsEachProfileOnce) {
  ProfileLibrary profiles;
  const LoadedProfile& first = profiles.get("cpu");
  EXPECT_EQ(first.profile.name, "cpu");
  EXPECT_EQ(&profiles.get("cpu"), &first);
  EXPECT_GT(first.costs->gemm({512, 512, 512}, DataType::fp32, GemmPass::forward).time.value(), 0);
}

TEST(ProfileLibrary, RefusesWhatIsNoProfileEachTime) {
  ProfileLibrary profiles;
  EXPECT_THROW(static_cast<void>(profiles.get("no-such-gpu")), InputError);
  EXPECT_THROW(static_cast<void>(profiles.get("no-such-gpu")), InputError);
}

}  // namespace
}  // namespace stepcast

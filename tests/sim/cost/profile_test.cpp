#include "sim/cost/profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "common/errors.hpp"
#include "common/files.hpp"
#include "sim/cost/profile_json.hpp"

namespace stepcast {
namespace {

using testing::ElementsAre;

template <class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ProfilePresets, AreThePublishedNames) {
  EXPECT_THAT(profile_presets(), ElementsAre("a100-sxm-40gb", "a100-sxm-80gb", "b200-sxm", "cpu",
                                             "gb200", "h100-sxm", "h200-sxm"));
}

TEST(ProfilePresets, LoadUnderTheirOwnNames) {
  for (const std::string& name : profile_presets()) EXPECT_EQ(load_profile(name).name, name);
}

TEST(ProfilePresets, MeetTheGoalForSitesLeftOut) {
  // Whole (n, k) sites left out of the GEMM table: median error at most 4 %, p90 at most 15 %.
  for (const std::string& name : profile_presets())
    for (const auto& [type, fit] : load_profile(name).gemm_fit) {
      EXPECT_LE(fit.site.median, 0.04) << name << " " << name_of(type);
      EXPECT_LE(fit.site.p90, 0.15) << name << " " << name_of(type);
      EXPECT_GE(fit.site.points, 300) << name << " " << name_of(type);
    }
}

TEST(ProfilePresets, NameASourceAndAStatusForEveryNumber) {
  for (const std::string& name : profile_presets()) {
    const Profile profile = load_profile(name);
    EXPECT_FALSE(profile.sources.empty()) << name;
    for (const auto& [key, constant] : profile.constants) {
      EXPECT_FALSE(constant.meaning.empty()) << name << " " << key;
      EXPECT_FALSE(constant.source.empty()) << name << " " << key;
      EXPECT_FALSE(constant.status.empty()) << name << " " << key;
    }
    for (const auto& [kernel, rate] : profile.memory_bound)
      EXPECT_TRUE(rate.source.starts_with("measured: ") || rate.source.starts_with("assumption: "))
          << name << ": " << rate.source;
  }
}

TEST(ProfilePresets, DifferInMemoryBandwidthOnlyForTheTwoA100) {
  const Profile large = load_profile("a100-sxm-80gb");
  const Profile small = load_profile("a100-sxm-40gb");
  EXPECT_EQ(small.device.memory_bandwidth, BytesPerSecond{1555e9});
  ASSERT_EQ(large.gemm.size(), small.gemm.size());
  for (std::size_t i = 0; i < large.gemm.size(); ++i) {
    ASSERT_EQ(large.gemm[i].shape, small.gemm[i].shape);
    const double ratio = small.gemm[i].time / large.gemm[i].time;
    EXPECT_GE(ratio, 0.99999);               // never faster
    EXPECT_LE(ratio, 2039.0 / 1555 + 1e-5);  // at most as the bandwidths
  }
}

TEST(LoadProfile, ReadsAFile) {
  const auto path = std::filesystem::temp_directory_path() / "stepcast_profile_test.json";
  Profile profile = load_profile("cpu");
  profile.name = "mine";
  write_file_atomically(path, profile_text(profile));
  EXPECT_EQ(load_profile(path.string()).name, "mine");
  std::filesystem::remove(path);
}

TEST(LoadProfile, NamesTheNearestPreset) {
  EXPECT_EQ(message_of([] { (void)load_profile("h100-sxn"); }),
            "profile: no profile preset or file \"h100-sxn\" (did you mean \"h100-sxm\"?); "
            "presets: a100-sxm-40gb, a100-sxm-80gb, b200-sxm, cpu, gb200, h100-sxm, h200-sxm");
}

TEST(Profile, GivesAConstantOrSaysThatThereIsNone) {
  Profile profile;
  profile.name = "test";
  profile.constants["a"] = {2.5, "", "", "", ""};
  EXPECT_EQ(profile.constant("a"), 2.5);
  EXPECT_EQ(profile.constant("b", 7.0), 7.0);
  EXPECT_EQ(message_of([&] { (void)profile.constant("b"); }), "profile test: has no constant b");
}

}  // namespace
}  // namespace stepcast

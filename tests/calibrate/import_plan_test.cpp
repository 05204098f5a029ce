#include "calibrate/import_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "common/errors.hpp"
#include "common/files.hpp"

namespace stepcast::calibrate {
namespace {

std::string message_of(const std::string& name) {
  try {
    (void)load_import_plan(name);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ImportPlan, ThereIsOneForEveryShippedProfile) {
  EXPECT_EQ(import_plans(), profile_presets());
  for (const std::string& name : import_plans())
    EXPECT_EQ(load_import_plan(name).profile.name, name);
}

TEST(ImportPlan, IsWhatTheShippedProfileWasMadeFrom) {
  for (const std::string& name : import_plans()) {
    const Profile plan = load_import_plan(name).profile;
    const Profile shipped = load_profile(name);
    EXPECT_EQ(plan.device.memory, shipped.device.memory) << name;
    EXPECT_EQ(plan.device.peak, shipped.device.peak) << name;
    for (const auto& [key, constant] : plan.constants)
      EXPECT_EQ(shipped.constant(key), constant.value) << name << " " << key;
    for (const auto& [kernel, rate] : plan.memory_bound)
      EXPECT_EQ(shipped.memory_bound.at(kernel).bandwidth_share, rate.bandwidth_share) << name;
  }
}

TEST(ImportPlan, RemembersTheBandwidthThatTheTableWasMeasuredWith) {
  EXPECT_EQ(load_import_plan("a100-sxm-40gb").gemm_memory_bandwidth, BytesPerSecond{2039e9});
  EXPECT_EQ(load_import_plan("h100-sxm").gemm_memory_bandwidth, BytesPerSecond{3350e9});
}

TEST(ImportPlan, NamesTheNearestProfile) {
  EXPECT_EQ(message_of("b200-smx"),
            "--name: no constants for a profile \"b200-smx\" (did you mean \"b200-sxm\"?); known: "
            "a100-sxm-40gb, a100-sxm-80gb, b200-sxm, cpu, gb200, h100-sxm, h200-sxm");
}

TEST(ImportPlan, ReportsEveryProblemOfADocument) {
  const auto path = std::filesystem::temp_directory_path() / "stepcast_plan_test.json";
  write_file_atomically(path, R"({
    "format": "stepcast.profile_import", "version": 1,
    "take": {"gemm_types": {"bfloat16": "bf17"}, "nvlink_domain": 0, "gem_file": "x"},
    "profile": {"name": "test", "gemm": [], "attention": [], "memory_bound": [],
                "collectives": [], "constants": {},
                "device": {"name": "GPU", "multiprocessors": 1, "peak_flops_per_s": {},
                           "memory_bandwidth_bytes_per_s": 1, "memory_bytes": 0}}})");
  const std::string file = path.string();
  EXPECT_EQ(message_of(file),
            file + ": profile.device.memory_bytes: must be > 0, found 0\n" + file +
                ": take.gemm_types.bfloat16: unknown name \"bf17\"\n" + file +
                ": take.nvlink_domain: must be a whole number >= 1, found 0\n" + file +
                ": take.gem_file: unknown key (did you mean \"gemm_file\"?)");
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace stepcast::calibrate

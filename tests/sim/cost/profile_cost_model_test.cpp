#include "sim/cost/profile_cost_model.hpp"

#include <gtest/gtest.h>

#include "common/errors.hpp"

namespace stepcast {
namespace {

Profile profile() {
  Profile p;
  p.name = "test";
  p.device.name = "GPU";
  p.device.multiprocessors = 10;
  p.device.peak[DataType::bf16] = FlopsPerSecond{1e12};
  p.device.peak[DataType::fp16] = FlopsPerSecond{1e12};
  p.device.memory_bandwidth = BytesPerSecond{1e12};
  p.gemm.push_back(
      {{1024, 2048, 4096}, DataType::bf16, microseconds(100), microseconds(90), microseconds(110)});
  p.memory_bound[MemoryKernel::fused] = {0.8, microseconds(2), "measured: by hand"};
  p.memory_bound[MemoryKernel::dropout] = {0.5, microseconds(2), "assumption: by hand"};
  p.collectives.push_back({CollectiveOp::all_reduce, 8, Bytes{1e6}, microseconds(30)});
  const auto constant = [&](const std::string& name, double value) {
    p.constants[name] = {value, "", "", "", ""};
  };
  constant("gemm.wgrad_ratio", 1.04);
  constant("gemm.accumulate_bytes", 2.5);
  constant("gemm.sustained_residual", 1.08);
  constant("host.kernel_gap_s", 1.5e-6);
  return p;
}

double us(const Estimate& estimate) { return estimate.time.value() * 1e6; }

constexpr GemmShape measured{1024, 2048, 4096};

TEST(ProfileCostModel, CostsTheThreePassesOfAProduct) {
  const ProfileCostModel model(profile());
  EXPECT_NEAR(us(model.gemm(measured, DataType::bf16, GemmPass::forward)), 100.0, 1e-9);
  EXPECT_NEAR(us(model.gemm(measured, DataType::bf16, GemmPass::dgrad)), 100.0, 1e-9);
  EXPECT_NEAR(us(model.gemm(measured, DataType::bf16, GemmPass::wgrad)), 104.0, 1e-9);
  // 2.5 bytes for each of 1024 x 2048 outputs at 1 TB/s: 5.24288 us more.
  EXPECT_NEAR(us(model.gemm(measured, DataType::bf16, GemmPass::wgrad_accumulate)), 109.24288,
              1e-9);
}

TEST(ProfileCostModel, CallsOnlyTheMeasuredPassMeasured) {
  const ProfileCostModel model(profile());
  EXPECT_EQ(model.gemm(measured, DataType::bf16, GemmPass::forward).basis, Basis::measured);
  EXPECT_EQ(model.gemm(measured, DataType::bf16, GemmPass::wgrad).basis, Basis::interpolated);
}

TEST(ProfileCostModel, KeepsShortRunAndSustainedRatesApart) {
  const ProfileCostModel sustained(profile(), {.sustained = true});
  EXPECT_NEAR(us(sustained.gemm(measured, DataType::bf16, GemmPass::forward)), 108.0, 1e-9);
}

TEST(ProfileCostModel, UsesTheTableOfBf16ForFp16) {
  const ProfileCostModel model(profile());
  EXPECT_NEAR(us(model.gemm(measured, DataType::fp16, GemmPass::forward)), 100.0, 1e-9);
}

TEST(ProfileCostModel, RefusesATypeThatTheDeviceDoesNotCompute) {
  const ProfileCostModel model(profile());
  try {
    (void)model.gemm(measured, DataType::fp8, GemmPass::forward);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "profile test: GPU does not compute in fp8");
  }
}

TEST(ProfileCostModel, PaysForWholeTilesOfTheHeadWidth) {
  // Scores of 64 heads: k = 96 computes as 128. Memory would not notice: the output dominates.
  Profile p = profile();
  p.device.memory_bandwidth = BytesPerSecond{1e18};
  const ProfileCostModel model(p);
  const auto time = [&](std::int64_t width) {
    return us(model.batched_gemm(64, {2048, 2048, width}, DataType::bf16));
  };
  EXPECT_DOUBLE_EQ(time(96), time(128));
  EXPECT_LT(time(64), time(96));
  EXPECT_EQ(model.batched_gemm(64, {2048, 2048, 96}, DataType::bf16).basis, Basis::analytical);
}

TEST(ProfileCostModel, FindsTheHeadWidthInAnyPlace) {
  Profile p = profile();
  p.device.memory_bandwidth = BytesPerSecond{1e18};
  const ProfileCostModel model(p);
  const auto time = [&](const GemmShape& shape) {
    return us(model.batched_gemm(64, shape, DataType::bf16));
  };
  EXPECT_DOUBLE_EQ(time({2048, 160, 2048}), time({2048, 192, 2048}));
  EXPECT_DOUBLE_EQ(time({160, 2048, 2048}), time({192, 2048, 2048}));
}

TEST(ProfileCostModel, MovesBytesAtAShareOfTheBandwidth) {
  const ProfileCostModel model(profile());
  // 2 us + 80 MB at 0.8 TB/s.
  const Estimate estimate = model.memory_bound(Bytes{80e6}, MemoryKernel::fused);
  EXPECT_NEAR(us(estimate), 102.0, 1e-9);
  EXPECT_EQ(estimate.basis, Basis::interpolated);
  EXPECT_EQ(model.memory_bound(Bytes{80e6}, MemoryKernel::dropout).basis, Basis::analytical);
}

TEST(ProfileCostModel, RefusesAMemoryKernelWithoutARate) {
  const ProfileCostModel model(profile());
  try {
    (void)model.memory_bound(Bytes{1.0}, MemoryKernel::softmax);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "profile test: no rate for memory-bound kernel softmax");
  }
}

TEST(ProfileCostModel, PassesOnTheGapAndTheCollectives) {
  const ProfileCostModel model(profile());
  EXPECT_EQ(model.kernel_gap(), microseconds(1.5));
  EXPECT_NEAR(us(*model.node_collective(CollectiveOp::all_reduce, 8, Bytes{1e6})), 30.0, 1e-9);
  EXPECT_FALSE(model.node_collective(CollectiveOp::all_gather, 8, Bytes{1e6}).has_value());
}

TEST(ProfileCostModel, AnswersEveryQuestionFromEveryShippedProfile) {
  for (const std::string& name : profile_presets()) {
    const Profile shipped = load_profile(name);
    const ProfileCostModel model(shipped);
    const AttentionShape call{1, 4096, 4096, 32, 8, 128, true};
    for (const auto& [type, peak] : shipped.device.peak)
      EXPECT_GT(us(model.gemm({4096, 5120, 7168}, type, GemmPass::wgrad_accumulate)), 0.0) << name;
    EXPECT_GT(us(model.batched_gemm(32, {2048, 2048, 128}, DataType::bf16)), 0.0) << name;
    EXPECT_GT(us(model.attention(call, AttentionPass::backward, AttentionKernel::triton)), 0.0)
        << name;
    EXPECT_GT(us(model.memory_bound(Bytes{1e6}, MemoryKernel::cross_entropy)), 0.0) << name;
    EXPECT_GT(model.kernel_gap().value(), 0.0) << name;
  }
}

}  // namespace
}  // namespace stepcast

#include "calibrate/fit.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/cost/attention_model.hpp"
#include "sim/cost/gemm_base.hpp"

namespace stepcast::calibrate {
namespace {

DeviceFacts device() {
  DeviceFacts facts;
  facts.name = "GPU";
  facts.multiprocessors = 108;
  facts.peak[DataType::bf16] = FlopsPerSecond{312e12};
  facts.memory_bandwidth = BytesPerSecond{2.039e12};
  return facts;
}

// Points that follow the analytical model with known parameters.
std::vector<GemmPoint> invented_gemms() {
  GemmBase truth;
  truth.tile_share = {0.7, 0.7, 0.6, 0.5, 0.4};
  truth.fixed = Seconds{5e-6};
  truth.memory_share = 0.7;
  truth.wave_smoothing = 0.4;
  std::vector<GemmPoint> points;
  for (const std::int64_t n : {1024, 4096, 12288})
    for (const std::int64_t k : {1024, 8192})
      for (const std::int64_t m : {128, 512, 2048, 8192}) {
        const GemmShape shape{m, n, k};
        const Seconds time =
            gemm_base_time(gemm_device(device(), DataType::bf16), DataType::bf16, truth, shape);
        points.push_back({shape, DataType::bf16, time, time, time});
      }
  return points;
}

TEST(FitGemm, RecoversAModelThatThePointsFollow) {
  const GemmFit fit = fit_gemm(device(), DataType::bf16, invented_gemms());
  EXPECT_LT(fit.base_alone.median, 0.04);  // coordinate search ends in a local minimum
  EXPECT_LT(fit.site.median, 0.03);
  EXPECT_EQ(fit.site.points, 24);
}

TEST(FitGemm, GivesTheSameFitAgain) {
  const GemmFit a = fit_gemm(device(), DataType::bf16, invented_gemms());
  const GemmFit b = fit_gemm(device(), DataType::bf16, invented_gemms());
  EXPECT_EQ(a.base.tile_share, b.base.tile_share);
  EXPECT_EQ(a.kriging.length_m, b.kriging.length_m);
  EXPECT_EQ(a.site.median, b.site.median);
}

std::vector<AttentionPoint> invented_calls(double kv_factor) {
  const AttentionBase truth{
      .share = {{128, 0.6}}, .ramp_length = 300.0, .tail_power = 2.0, .fixed = Seconds{1e-5}};
  std::vector<AttentionPoint> points;
  for (const std::int64_t length : {512, 1024, 2048, 4096, 8192})
    for (const std::int64_t heads : {8, 32})
      for (const std::int64_t kv_heads : {1, 8}) {
        AttentionPoint point;
        point.shape = {1, length, length, heads, kv_heads, 128, true};
        const double kv_bytes = 8.0 * 128 * static_cast<double>(length * kv_heads);
        point.time = attention_base_time(gemm_device(device(), DataType::bf16), truth,
                                         attention_work(point.shape)) +
                     Seconds{kv_factor * kv_bytes / 2.039e12};
        points.push_back(point);
      }
  return points;
}

TEST(FitKvWrite, TellsTheCacheWriteFromTheAttention) {
  const KvWrite kv = fit_kv_write(device(), invented_calls(5.0));
  EXPECT_NEAR(kv.factor, 5.0, 0.5);
  // Last call: 8 x 128 x 8192 x 8 bytes, read and written keys and values: 67.1 MB, 32.9 us at
  // memory bandwidth.
  EXPECT_NEAR(kv.times.back().value(), kv.factor * 67108864.0 / 2.039e12, 1e-12);
}

TEST(FitKvWrite, NeverSubtractsMoreThanSeventyPercent) {
  std::vector<AttentionPoint> points = invented_calls(5.0);
  points.back().time = microseconds(1.0);
  EXPECT_LE(fit_kv_write(device(), points).times.back().value(), 0.7e-6 + 1e-15);
}

TEST(FitAttention, RecoversAModelThatThePointsFollow) {
  Profile profile;
  profile.device = device();
  profile.attention = invented_calls(0.0);
  const AttentionFit fit = fit_attention(profile);
  EXPECT_LT(fit.base_alone.median, 0.02);
  EXPECT_LT(fit.held_out.median, 0.03);
  EXPECT_EQ(fit.held_out.points, 20);
}

}  // namespace
}  // namespace stepcast::calibrate

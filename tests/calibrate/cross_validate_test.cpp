#include "calibrate/cross_validate.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace stepcast::calibrate {
namespace {

TEST(SummedUp, TakesMedianNinetiethPercentileAndMean) {
  // Sizes 0.01 .. 0.10: the sixth is the median of ten, the tenth the 90th percentile.
  std::vector<LeftOutPrediction> predictions;
  for (int i = 1; i <= 10; ++i) predictions.push_back({0.01 * i * (i % 2 == 0 ? 1.0 : -1.0), 0.1});
  const HeldOutError error = summed_up(predictions);
  EXPECT_DOUBLE_EQ(error.median, 0.06);
  EXPECT_DOUBLE_EQ(error.p90, 0.10);
  EXPECT_NEAR(error.bias, 0.05 / 10.0, 1e-15);  // five pairs of +0.01
  EXPECT_EQ(error.points, 10);
}

TEST(SummedUp, IsZeroForNothing) { EXPECT_EQ(summed_up({}).points, 0); }

TEST(SigmaScale, MakesTheMedianThatOfANormalDistribution) {
  // |error| / sigma is 2 throughout: sigmas must grow by 2 / 0.6745.
  EXPECT_NEAR(sigma_scale({{0.2, 0.1}, {-0.4, 0.2}, {0.02, 0.01}}), 2.0 / 0.6745, 1e-12);
  EXPECT_EQ(sigma_scale({}), 1.0);
}

const GemmDevice device{108.0, FlopsPerSecond{312e12}, BytesPerSecond{2.039e12}};

GemmPoint point(const GemmShape& shape, double time_us) {
  return {shape, DataType::bf16, microseconds(time_us), microseconds(time_us),
          microseconds(time_us)};
}

TEST(PredictGemms, LeavesEachPointOutOfItsOwnPrediction) {
  // One point: what remains is the analytical time.
  const GemmModel model(device, DataType::bf16, GemmFit{}, {point({1024, 1024, 1024}, 20.0)});
  const auto predictions = predict_gemms(model, GemmModel::LeftOut::point);
  ASSERT_EQ(predictions.size(), 1U);
  EXPECT_NEAR(predictions[0].error, std::log(model.base_time({1024, 1024, 1024}).value() / 20e-6),
              1e-12);
}

TEST(PredictGemms, TakesEveryStridethPoint) {
  std::vector<GemmPoint> points;
  for (std::int64_t m = 1; m <= 10; ++m) points.push_back(point({128 * m, 512, 512}, 10.0));
  const GemmModel model(device, DataType::bf16, GemmFit{}, points);
  EXPECT_EQ(predict_gemms(model, GemmModel::LeftOut::site, 4).size(), 3U);
}

// The figures that shipped profiles state must be those of their own tables and fits. Every
// eleventh point stands for all: their median and p90 scatter by a few tenths.
TEST(PredictGemms, ConfirmsTheFiguresOfShippedProfiles) {
  for (const std::string name : {"a100-sxm-80gb", "h100-sxm", "h200-sxm", "b200-sxm", "gb200"}) {
    const Profile profile = load_profile(name);
    for (const auto& [type, fit] : profile.gemm_fit) {
      const GemmModel model(gemm_device(profile.device, type), type, fit, profile.gemm);
      const std::size_t stride = model.points().size() > 1000 ? 11 : 1;
      const HeldOutError error = summed_up(predict_gemms(model, GemmModel::LeftOut::site, stride));
      EXPECT_NEAR(error.median, fit.site.median, 0.008) << name << " " << name_of(type);
      EXPECT_NEAR(error.p90, fit.site.p90, 0.03) << name << " " << name_of(type);
      EXPECT_LE(error.median, 0.04) << name << " " << name_of(type);
      EXPECT_LE(error.p90, 0.15) << name << " " << name_of(type);
    }
  }
}

// One deviation should hold about 68 % of the errors, two about 95 %; the errors' tails are
// heavier.
TEST(PredictGemms, StatesHonestDoubt) {
  for (const std::string name : {"a100-sxm-80gb", "h100-sxm", "gb200"}) {
    const Profile profile = load_profile(name);
    const GemmModel model(gemm_device(profile.device, DataType::bf16), DataType::bf16,
                          profile.gemm_fit.at(DataType::bf16), profile.gemm);
    double within_one = 0.0;
    double within_two = 0.0;
    const auto predictions = predict_gemms(model, GemmModel::LeftOut::site, 11);
    for (const LeftOutPrediction& p : predictions) {
      within_one += std::abs(p.error) <= p.sigma ? 1.0 : 0.0;
      within_two += std::abs(p.error) <= 2.0 * p.sigma ? 1.0 : 0.0;
    }
    const double count = static_cast<double>(predictions.size());
    EXPECT_NEAR(within_one / count, 0.68, 0.1) << name;
    EXPECT_GE(within_two / count, 0.80) << name;
  }
}

TEST(PredictAttention, TakesCausalForwardCallsOfTheMainKernel) {
  Profile profile;
  profile.device.multiprocessors = 1;
  profile.device.peak[DataType::bf16] = FlopsPerSecond{1e12};
  const auto add = [&](std::int64_t length, bool causal, AttentionPass pass) {
    profile.attention.push_back(
        {{1, length, length, 8, 8, 128, causal}, pass, AttentionKernel::flash2, microseconds(50)});
  };
  add(1024, true, AttentionPass::forward);
  add(2048, true, AttentionPass::forward);
  add(1024, false, AttentionPass::forward);
  add(1024, true, AttentionPass::backward);
  EXPECT_EQ(predict_attention(profile).size(), 2U);
}

}  // namespace
}  // namespace stepcast::calibrate

#include "calibrate/cross_validate.hpp"

#include <algorithm>
#include <cmath>

namespace stepcast::calibrate {
namespace {

constexpr double normal_quartile = 0.6745;

// The value below which `share` of the sorted values lie.
double quantile(const std::vector<double>& sorted, double share) {
  const auto at = static_cast<std::size_t>(share * static_cast<double>(sorted.size()));
  return sorted[std::min(at, sorted.size() - 1)];
}

}  // namespace

HeldOutError summed_up(const std::vector<LeftOutPrediction>& predictions) {
  HeldOutError result;
  if (predictions.empty()) return result;
  std::vector<double> sizes;
  double sum = 0.0;
  for (const LeftOutPrediction& prediction : predictions) {
    sizes.push_back(std::abs(prediction.error));
    sum += prediction.error;
  }
  std::sort(sizes.begin(), sizes.end());
  result.median = quantile(sizes, 0.5);
  result.p90 = quantile(sizes, 0.9);
  result.bias = sum / static_cast<double>(predictions.size());
  result.points = static_cast<std::int64_t>(predictions.size());
  return result;
}

double sigma_scale(const std::vector<LeftOutPrediction>& predictions) {
  if (predictions.empty()) return 1.0;
  std::vector<double> ratios;
  for (const LeftOutPrediction& p : predictions) ratios.push_back(std::abs(p.error) / p.sigma);
  std::sort(ratios.begin(), ratios.end());
  return quantile(ratios, 0.5) / normal_quartile;
}

std::vector<LeftOutPrediction> predict_gemms(const GemmModel& model, GemmModel::LeftOut left_out,
                                             std::size_t stride) {
  std::vector<LeftOutPrediction> predictions;
  for (std::size_t i = 0; i < model.points().size(); i += stride) {
    const GemmPoint& point = model.points()[i];
    const Estimate estimate = model.time_without(point.shape, left_out);
    predictions.push_back({std::log(estimate.time / point.time), estimate.relative_sigma});
  }
  return predictions;
}

std::vector<LeftOutPrediction> predict_attention(const Profile& profile, std::size_t stride) {
  const AttentionModel model(profile);
  std::vector<LeftOutPrediction> predictions;
  std::size_t count = 0;
  for (const AttentionPoint& point : profile.attention) {
    if (point.kernel != model.main_kernel() || point.pass != AttentionPass::forward) continue;
    if (!point.shape.causal || count++ % stride != 0) continue;
    const Estimate estimate = model.forward_without(point.shape);
    predictions.push_back({std::log(estimate.time / point.time), estimate.relative_sigma});
  }
  return predictions;
}

}  // namespace stepcast::calibrate

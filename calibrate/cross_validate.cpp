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

HeldOutError summed_up(const std::vector<double>& errors) {
  HeldOutError result;
  if (errors.empty()) return result;
  std::vector<double> sizes;
  double sum = 0.0;
  for (const double error : errors) {
    sizes.push_back(std::abs(error));
    sum += error;
  }
  std::sort(sizes.begin(), sizes.end());
  result.median = quantile(sizes, 0.5);
  result.p90 = quantile(sizes, 0.9);
  result.bias = sum / static_cast<double>(errors.size());
  result.points = static_cast<std::int64_t>(errors.size());
  return result;
}

std::vector<double> gemm_errors(const GemmModel& model, GemmModel::LeftOut left_out,
                                std::size_t stride) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < model.points().size(); i += stride) {
    const GemmPoint& point = model.points()[i];
    errors.push_back(std::log(model.time_without(point.shape, left_out).time / point.time));
  }
  return errors;
}

std::vector<double> attention_errors(const Profile& profile, std::size_t stride) {
  const AttentionModel model(profile);
  std::vector<double> errors;
  std::size_t count = 0;
  for (const AttentionPoint& point : profile.attention) {
    if (point.kernel != model.main_kernel() || point.pass != AttentionPass::forward) continue;
    if (count++ % stride == 0)
      errors.push_back(std::log(model.forward_without(point.shape).time / point.time));
  }
  return errors;
}

double sigma_scale(const GemmModel& model, GemmModel::LeftOut left_out) {
  if (model.points().empty()) return 1.0;
  std::vector<double> ratios;
  for (const GemmPoint& point : model.points()) {
    const Estimate estimate = model.time_without(point.shape, left_out);
    ratios.push_back(std::abs(std::log(estimate.time / point.time)) / estimate.relative_sigma);
  }
  std::sort(ratios.begin(), ratios.end());
  return quantile(ratios, 0.5) / normal_quartile;
}

}  // namespace stepcast::calibrate

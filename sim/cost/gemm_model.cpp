#include "sim/cost/gemm_model.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "common/errors.hpp"

namespace stepcast {
namespace {

double log2_of(std::int64_t x) { return std::log2(static_cast<double>(x)); }

std::array<double, 3> place_of(const GemmShape& s) {
  return {log2_of(s.m), log2_of(s.n), log2_of(s.k)};
}

bool before(const GemmPoint& a, const GemmPoint& b) {
  return std::tie(a.shape.n, a.shape.k, a.shape.m) < std::tie(b.shape.n, b.shape.k, b.shape.m);
}

}  // namespace

GemmModel::GemmModel(const GemmDevice& device, DataType type, const GemmFit& fit,
                     const std::vector<GemmPoint>& points)
    : device_(device), type_(type), fit_(fit) {
  for (const GemmPoint& point : points)
    if (point.type == type) points_.push_back(point);
  std::sort(points_.begin(), points_.end(), before);
  if (points_.empty()) return;
  least_ = most_ = points_.front().shape;
  for (const GemmPoint& point : points_) {
    const GemmShape& s = point.shape;
    least_ = {std::min(least_.m, s.m), std::min(least_.n, s.n), std::min(least_.k, s.k)};
    most_ = {std::max(most_.m, s.m), std::max(most_.n, s.n), std::max(most_.k, s.k)};
  }
  const GemmKriging& g = fit_.kriging;
  residual_ = Kriging({{g.length_m, g.length_n, g.length_k}, g.amplitude}, samples());
}

std::vector<KrigingSample> GemmModel::samples() const {
  const GemmKriging& g = fit_.kriging;
  std::vector<KrigingSample> samples;
  samples.reserve(2 * points_.size());
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const GemmShape& s = points_[i].shape;
    const double residual = std::log(points_[i].time / base_time(s));
    samples.push_back({place_of(s), residual, g.noise, i});
    if (s.m != s.n)
      samples.push_back(
          {place_of({s.n, s.m, s.k}), residual, std::hypot(g.noise, g.mirror_noise), i});
  }
  return samples;
}

Seconds GemmModel::base_time(const GemmShape& shape) const {
  return gemm_base_time(device_, type_, fit_.base, shape);
}

const GemmPoint* GemmModel::find(const GemmShape& shape) const {
  GemmPoint wanted;
  wanted.shape = shape;
  const auto at = std::lower_bound(points_.begin(), points_.end(), wanted, before);
  return at != points_.end() && at->shape == shape ? &*at : nullptr;
}

bool GemmModel::inside(const GemmShape& s) const {
  const auto within = [this](std::int64_t m, std::int64_t n, std::int64_t k) {
    return m >= least_.m && m <= most_.m && n >= least_.n && n <= most_.n && k >= least_.k &&
           k <= most_.k;
  };
  return within(s.m, s.n, s.k) || within(s.n, s.m, s.k);
}

Estimate GemmModel::time(const GemmShape& shape) const {
  const GemmPoint* hit = find(shape);
  if (hit == nullptr) return time_without(shape, LeftOut::nothing);
  // assumption: the range over the collected stacks (up to 7) is taken as +-1.6 deviations.
  const bool spread = hit->low.value() > 0.0 && hit->high > hit->low;
  const double sigma = spread ? std::log(hit->high / hit->low) / 3.2 : fit_.kriging.noise;
  return {hit->time, sigma, Basis::measured};
}

Estimate GemmModel::time_without(const GemmShape& shape, LeftOut left_out) const {
  STEPCAST_CHECK(shape.m >= 1 && shape.n >= 1 && shape.k >= 1);
  const Seconds base = base_time(shape);
  // assumption: 30 % where nothing was measured.
  if (points_.empty()) return {base, 0.3, Basis::analytical};
  Kriging::Skip skip;
  if (left_out != LeftOut::nothing)
    skip = [this, &shape, left_out](std::size_t i) {
      const GemmShape& s = points_[i].shape;
      return left_out == LeftOut::site ? s.n == shape.n && s.k == shape.k : s == shape;
    };
  const Kriging::Value by = residual_.at(place_of(shape), skip);
  return {base * std::exp(by.mean), std::hypot(by.sigma, fit_.kriging.noise),
          inside(shape) ? Basis::interpolated : Basis::extrapolated};
}

}  // namespace stepcast

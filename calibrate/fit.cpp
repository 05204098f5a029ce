#include "calibrate/fit.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "calibrate/cross_validate.hpp"
#include "calibrate/search.hpp"
#include "common/errors.hpp"
#include "sim/cost/attention_model.hpp"
#include "sim/cost/gemm_model.hpp"

namespace stepcast::calibrate {
namespace {

constexpr double most_error = 0.5;  // beyond, an error counts as this: outliers do not pull
constexpr int base_rounds = 400;
constexpr int kriging_rounds = 14;
constexpr double first_step = 0.4;
constexpr std::size_t most_judged = 1000;  // points that a kriging trial is judged by

using Predictions = std::vector<LeftOutPrediction>;

double mean_size(const Predictions& predictions) {
  double sum = 0.0;
  for (const LeftOutPrediction& p : predictions) sum += std::min(std::abs(p.error), most_error);
  return sum / static_cast<double>(predictions.size());
}

HeldOutError rounded_sum(const Predictions& predictions) {
  const HeldOutError error = summed_up(predictions);
  return {rounded(error.median), rounded(error.p90), rounded(error.bias), error.points};
}

std::size_t stride_for(std::size_t points) {
  return std::max<std::size_t>(1, points / most_judged);
}

Predictions base_errors(const GemmDevice& device, DataType type, const GemmBase& base,
                        const std::vector<GemmPoint>& points) {
  Predictions errors;
  errors.reserve(points.size());
  for (const GemmPoint& point : points)
    errors.push_back({std::log(gemm_base_time(device, type, base, point.shape) / point.time), 0.0});
  return errors;
}

GemmBase fit_gemm_base(const GemmDevice& device, DataType type,
                       const std::vector<GemmPoint>& points) {
  GemmBase base;
  base.wave_smoothing = 0.3;
  base.droop = 0.02;
  if (type == DataType::fp8) base.quantise_bytes = 3.0;  // read bf16, write fp8
  double fixed = base.fixed.value();
  std::vector<double*> parameters{&base.prologue_k, &base.wave_smoothing, &base.memory_share,
                                  &fixed,           &base.droop,          &base.split_cost};
  for (double& share : base.tile_share) parameters.push_back(&share);
  if (type == DataType::fp8) parameters.push_back(&base.quantise_bytes);
  coordinate_search(
      parameters,
      [&] {
        base.fixed = Seconds{fixed};
        if (base.wave_smoothing > 1.0 || base.memory_share > 1.0) return 2.0 * most_error;
        return mean_size(base_errors(device, type, base, points));
      },
      base_rounds, first_step);
  base.fixed = Seconds{rounded(fixed)};
  for (double* parameter : parameters) *parameter = rounded(*parameter);
  return base;
}

// All by one factor, which leaves the kriging's means as they are.
void scale_sigmas(const std::vector<double*>& sigmas, double scale) {
  for (double* sigma : sigmas) *sigma = rounded(*sigma * scale);
}

Predictions attention_base_errors(const GemmDevice& device, const AttentionBase& base,
                                  const std::vector<AttentionPoint>& points,
                                  const std::vector<double>& extra) {
  Predictions errors;
  errors.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Seconds time =
        attention_base_time(device, base, attention_work(points[i].shape)) + Seconds{extra[i]};
    errors.push_back({std::log(time / points[i].time), 0.0});
  }
  return errors;
}

// Fits the base in place; `extra` gives further seconds for each point, `more` further parameters.
void fit_attention_base(const GemmDevice& device, AttentionBase& base,
                        const std::vector<AttentionPoint>& points,
                        const std::function<std::vector<double>()>& extra,
                        std::vector<double*> more) {
  for (const AttentionPoint& point : points) base.share.emplace(point.shape.head_dim, 0.6);
  double fixed = base.fixed.value();
  std::vector<double*> parameters = std::move(more);
  for (auto& [width, share] : base.share) parameters.push_back(&share);
  parameters.insert(parameters.end(), {&base.ramp_length, &base.tail_power, &fixed});
  coordinate_search(
      parameters,
      [&] {
        base.fixed = Seconds{fixed};
        if (base.tail_power > 64.0) return 2.0 * most_error;  // as good as the larger of both
        return mean_size(attention_base_errors(device, base, points, extra()));
      },
      base_rounds, first_step);
  base.fixed = Seconds{rounded(fixed)};
  for (double* parameter : parameters) *parameter = rounded(*parameter);
}

// One read and one write of keys and values, in bf16.
double kv_write_bytes(const AttentionShape& s) {
  return 2.0 * 2.0 * 2.0 * static_cast<double>(s.batch * s.key_length * s.kv_heads * s.head_dim);
}

std::vector<AttentionPoint> main_points(const Profile& profile) {
  const AttentionModel model(profile);
  std::vector<AttentionPoint> points;
  for (const AttentionPoint& point : profile.attention)
    if (point.kernel == model.main_kernel() && point.pass == AttentionPass::forward)
      points.push_back(point);
  return points;
}

}  // namespace

GemmFit fit_gemm(const DeviceFacts& facts, DataType type, const std::vector<GemmPoint>& all) {
  std::vector<GemmPoint> points;
  for (const GemmPoint& point : all)
    if (point.type == type) points.push_back(point);
  STEPCAST_CHECK(!points.empty());
  const GemmDevice device = gemm_device(facts, type);
  GemmFit fit;
  fit.base = fit_gemm_base(device, type, points);
  fit.base_alone = rounded_sum(base_errors(device, type, fit.base, points));
  GemmKriging& g = fit.kriging;
  const std::size_t stride = stride_for(points.size());
  coordinate_search(
      {&g.length_m, &g.length_n, &g.length_k, &g.noise, &g.mirror_noise},
      [&] {
        const GemmModel model(device, type, fit, points);
        return mean_size(predict_gemms(model, GemmModel::LeftOut::site, stride));
      },
      kriging_rounds, first_step);
  for (double* length : {&g.length_m, &g.length_n, &g.length_k}) *length = rounded(*length);
  const GemmModel unscaled(device, type, fit, points);
  scale_sigmas({&g.amplitude, &g.noise, &g.mirror_noise},
               sigma_scale(predict_gemms(unscaled, GemmModel::LeftOut::site)));
  const GemmModel model(device, type, fit, points);
  fit.site = rounded_sum(predict_gemms(model, GemmModel::LeftOut::site));
  fit.point = rounded_sum(predict_gemms(model, GemmModel::LeftOut::point));
  return fit;
}

KvWrite fit_kv_write(const DeviceFacts& facts, const std::vector<AttentionPoint>& points) {
  const GemmDevice device = gemm_device(facts, DataType::bf16);
  AttentionBase base;
  KvWrite result{1.0, {}};
  const auto seconds = [&](const AttentionPoint& point) {
    return result.factor * kv_write_bytes(point.shape) / facts.memory_bandwidth.value();
  };
  fit_attention_base(device, base, points,
                     [&] {
                       std::vector<double> extra;
                       extra.reserve(points.size());
                       for (const AttentionPoint& point : points) extra.push_back(seconds(point));
                       return extra;
                     },
                     {&result.factor});
  for (const AttentionPoint& point : points)
    result.times.emplace_back(std::min(seconds(point), 0.7 * point.time.value()));
  return result;
}

AttentionFit fit_attention(const Profile& profile) {
  Profile trial = profile;
  trial.attention = main_points(profile);
  const GemmDevice device = gemm_device(profile.device, DataType::bf16);
  AttentionFit& fit = trial.attention_fit;
  fit = AttentionFit{};
  const std::vector<double> nothing(trial.attention.size(), 0.0);
  fit_attention_base(device, fit.base, trial.attention, [&] { return nothing; }, {});
  fit.base_alone = rounded_sum(attention_base_errors(device, fit.base, trial.attention, nothing));
  AttentionKriging& g = fit.kriging;
  const std::size_t stride = stride_for(trial.attention.size());
  coordinate_search(
      {&g.length_sequence, &g.length_heads, &g.length_group, &g.noise},
      [&] { return mean_size(predict_attention(trial, stride)); }, kriging_rounds, first_step);
  for (double* length : {&g.length_sequence, &g.length_heads, &g.length_group})
    *length = rounded(*length);
  scale_sigmas({&g.amplitude, &g.noise}, sigma_scale(predict_attention(trial)));
  fit.held_out = rounded_sum(predict_attention(trial));
  return fit;
}

}  // namespace stepcast::calibrate

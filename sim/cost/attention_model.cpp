#include "sim/cost/attention_model.hpp"

#include <algorithm>
#include <cmath>

#include "common/errors.hpp"
#include "sim/cost/names.hpp"

namespace stepcast {
namespace {

constexpr double tile_rows = 128.0;  // queries of one block in flash attention 2 and 3

// assumption: one standard deviation of ln(true / time) of a measured call, of the factors between
// kernels and directions, and where nothing was measured.
constexpr double sigma_measured = 0.03;
constexpr double sigma_factor = 0.05;
constexpr double sigma_analytical = 0.3;

double real(std::int64_t x) { return static_cast<double>(x); }

std::array<double, 3> place_of(const AttentionWork& work) {
  return {std::log2(work.causal_length()), std::log2(work.batch_heads()), std::log2(work.group)};
}

// Width that the kernel computes: flash attention is built for multiples of 32.
double executed_width(std::int64_t head_dim) { return std::ceil(real(head_dim) / 32.0) * 32.0; }

}  // namespace

AttentionWork attention_work(const AttentionShape& shape) {
  const double q = real(shape.query_length);
  const double k = real(shape.key_length);
  return {.queries = real(shape.batch * shape.heads) * q,
          .mean_keys = shape.causal ? k - (q - 1.0) / 2.0 : k,
          .last_keys = k,
          .group = real(shape.heads) / real(shape.kv_heads),
          .causal = shape.causal,
          .head_dim = shape.head_dim};
}

Seconds attention_base_time(const GemmDevice& device, const AttentionBase& base,
                            const AttentionWork& work) {
  const auto share = base.share.lower_bound(work.head_dim);
  // assumption: 0.5 of peak where no width was measured.
  const double reached = base.share.empty()          ? 0.5
                         : share == base.share.end() ? base.share.rbegin()->second
                                                     : share->second;
  const double rate = reached * device.peak.value();
  const double flops_per_pair = 4.0 * real(work.head_dim);
  const double overhead = base.ramp_length * (work.causal ? 0.5 : 0.25);
  const double body = flops_per_pair * work.queries * (work.mean_keys + overhead) / rate;
  const double tail = flops_per_pair * std::min(tile_rows, work.queries) * work.last_keys /
                      (rate / device.multiprocessors);
  const double most = std::max(body, tail);
  const double ratio = std::min(body, tail) / most;
  const double together =
      most * std::pow(1.0 + std::pow(ratio, base.tail_power), 1.0 / base.tail_power);
  return base.fixed + Seconds{together};
}

AttentionModel::AttentionModel(const Profile& profile)
    : device_(gemm_device(profile.device, DataType::bf16)), fit_(profile.attention_fit) {
  for (const AttentionPoint& point : profile.attention)
    measured_.insert_or_assign({point.shape, point.pass, point.kernel}, point.time);
  choose_main_kernel(profile);
  add_residuals(profile);
  read_factors(profile);
}

void AttentionModel::choose_main_kernel(const Profile& profile) {
  std::map<AttentionKernel, std::size_t> counts;
  for (const AttentionPoint& point : profile.attention)
    if (point.pass == AttentionPass::forward) ++counts[point.kernel];
  std::size_t most = 0;
  for (const auto& [kernel, count] : counts)
    if (count > most) {
      most = count;
      main_kernel_ = kernel;
    }
}

void AttentionModel::add_residuals(const Profile& profile) {
  const AttentionKriging& g = fit_.kriging;
  std::map<std::int64_t, std::vector<KrigingSample>> samples;
  for (const AttentionPoint& point : profile.attention) {
    if (point.kernel != main_kernel_ || point.pass != AttentionPass::forward) continue;
    if (!point.shape.causal) continue;
    const AttentionShape& s = point.shape;
    const AttentionWork call = attention_work(s);
    const double residual = std::log(point.time / attention_base_time(device_, fit_.base, call));
    samples[s.head_dim].push_back({place_of(call), residual, g.noise, shapes_.size()});
    shapes_.push_back(s);
    lengths_.take_in(call.causal_length());
    batch_heads_.take_in(call.batch_heads());
  }
  const KrigingOptions options{{g.length_sequence, g.length_heads, g.length_group}, g.amplitude};
  for (auto& [width, list] : samples) residual_.emplace(width, Kriging(options, std::move(list)));
}

void AttentionModel::read_factors(const Profile& profile) {
  for (const AttentionKernel kernel : all_attention_kernels) {
    const std::string name{name_of(kernel)};
    const double forward = profile.constant("attention.time_factor." + name, 1.0);
    forward_factor_[kernel] = forward;
    backward_factor_[kernel] = profile.constant("attention.backward_time_factor." + name, forward);
  }
  // Without a constant: 2.5 times the work of forward at the same rate (five products for two).
  const double ratio = profile.constant("attention.backward_ratio", 2.5);
  for (std::int64_t width = 32; width <= 512; width += 32) {
    const std::string text = std::to_string(width);
    width_rate_[width] = profile.constant("attention.width_rate." + text, 1.0);
    backward_ratio_[width] = profile.constant("attention.backward_ratio." + text, ratio);
  }
}

std::int64_t AttentionModel::measured_width(std::int64_t head_dim) const {
  if (residual_.empty()) return head_dim;
  const auto at = residual_.lower_bound(head_dim);
  return at == residual_.end() ? residual_.rbegin()->first : at->first;
}

Estimate AttentionModel::main_forward(const AttentionShape& shape,
                                      const AttentionShape* skip) const {
  AttentionWork call = attention_work(shape);
  call.head_dim = measured_width(shape.head_dim);
  const Seconds base = attention_base_time(device_, fit_.base, call);
  const auto residual = residual_.find(call.head_dim);
  if (residual == residual_.end()) return {base, sigma_analytical, Basis::analytical};
  Kriging::Skip leave_out;
  if (skip != nullptr) leave_out = [this, skip](std::size_t i) { return shapes_[i] == *skip; };
  const Kriging::Value by = residual->second.at(place_of(call), leave_out);
  const bool inside = lengths_.holds(call.causal_length()) &&
                      batch_heads_.holds(call.batch_heads()) && call.head_dim >= shape.head_dim;
  return {base * std::exp(by.mean), std::hypot(by.sigma, fit_.kriging.noise),
          inside ? Basis::interpolated : Basis::extrapolated};
}

// Of the asked call over the main kernel's forward call at the measured width.
double AttentionModel::factor(const AttentionShape& shape, AttentionPass pass,
                              AttentionKernel kernel) const {
  const double width = executed_width(shape.head_dim);
  const auto key = std::clamp<std::int64_t>(static_cast<std::int64_t>(width), 32, 512);
  const std::int64_t measured = measured_width(shape.head_dim);
  const double rate = measured == shape.head_dim ? 1.0 : width_rate_.at(key);
  const double for_width = width / real(measured) / rate;
  if (pass == AttentionPass::forward) return for_width * forward_factor_.at(kernel);
  return for_width * backward_factor_.at(kernel) * backward_ratio_.at(key);
}

Estimate AttentionModel::time(const AttentionShape& shape, AttentionPass pass,
                              AttentionKernel kernel) const {
  STEPCAST_CHECK(shape.batch >= 1 && shape.query_length >= 1 && shape.kv_heads >= 1 &&
                 shape.heads >= shape.kv_heads && shape.head_dim >= 1);
  STEPCAST_CHECK(shape.key_length >= (shape.causal ? shape.query_length : 1));
  if (const auto hit = measured_.find({shape, pass, kernel}); hit != measured_.end())
    return {hit->second, sigma_measured, Basis::measured};
  const bool plain = pass == AttentionPass::forward && kernel == main_kernel_;
  const auto forward = measured_.find({shape, AttentionPass::forward, main_kernel_});
  Estimate estimate = forward != measured_.end()
                          ? Estimate{forward->second, sigma_measured, Basis::interpolated}
                          : main_forward(shape, nullptr);
  if (measured_width(shape.head_dim) != shape.head_dim || !plain) {
    estimate.time = estimate.time * factor(shape, pass, kernel);
    estimate.relative_sigma = std::hypot(estimate.relative_sigma, sigma_factor);
  }
  return estimate;
}

Estimate AttentionModel::forward_without(const AttentionShape& shape) const {
  return main_forward(shape, &shape);
}

}  // namespace stepcast

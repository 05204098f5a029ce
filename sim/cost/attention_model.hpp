#pragma once

#include <map>
#include <vector>

#include "sim/cost/gemm_base.hpp"
#include "sim/cost/kriging.hpp"
#include "sim/cost/profile.hpp"

namespace stepcast {

// A causal square forward call, in the terms that its time depends on. Fractions are allowed: other
// calls are mapped to the one with the same work and the same mean keys for each query.
struct CausalCall {
  double length = 1.0;       // tokens
  double batch_heads = 1.0;  // batch x query heads
  double group = 1.0;        // query heads for each key-value head
  std::int64_t head_dim = 128;
};
[[nodiscard]] CausalCall causal_equivalent(const AttentionShape& shape);

// Query-key pairs of one head: all, or for `causal` the lower triangle with its diagonal, aligned
// at the end when lengths differ (as flash attention does).
[[nodiscard]] double attention_pairs(const AttentionShape& shape);

// Analytical time of a call:
//   fixed + (work^p + tail^p)^(1/p)
//   work = 4 head_dim pairs x (1 + ramp / length) / (share x peak)
//   tail = the last 128 queries against all keys, at the rate of one multiprocessor
// For widths between measured ones see AttentionModel.
[[nodiscard]] Seconds attention_base_time(const GemmDevice& device, const AttentionBase& base,
                                          const CausalCall& call);

// Flash attention of one GPU. Forward of the profile's main kernel (the one with most points) is
// the analytical time corrected by kriging of ln(measured / base) over (log2 length,
// log2 batch x heads, log2 group), for each measured head width. From it follow:
//  - masks and lengths: the equivalent causal call;
//  - other head widths: rounded up to a multiple of 32, at the rate of the next measured width,
//    times constant "attention.width_rate.<width>" if there is one;
//  - other kernels: constant "attention.time_factor.<kernel>", for backward
//    "attention.backward_time_factor.<kernel>" if there is one;
//  - backward: constant "attention.backward_ratio", or ".backward_ratio.<width>".
// A measured call returns its measurement, whatever its kernel, mask and direction.
// Ignores dropout, biases, and layout conversions.
class AttentionModel {
 public:
  explicit AttentionModel(const Profile& profile);
  // Preconditions: sizes >= 1, query_length <= key_length when causal. About 10 us.
  [[nodiscard]] Estimate time(const AttentionShape& shape, AttentionPass pass,
                              AttentionKernel kernel) const;
  // Forward of the main kernel as if this call had not been measured (cross-validation).
  [[nodiscard]] Estimate forward_without(const AttentionShape& shape) const;
  [[nodiscard]] AttentionKernel main_kernel() const { return main_kernel_; }

 private:
  struct Key {
    AttentionShape shape;
    AttentionPass pass;
    AttentionKernel kernel;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct Range {
    double low = 0.0, high = 0.0;
    [[nodiscard]] bool holds(double x) const { return x >= low && x <= high; }
  };
  void choose_main_kernel(const Profile& profile);
  void add_residuals(const Profile& profile);
  void read_factors(const Profile& profile);
  [[nodiscard]] Estimate main_forward(const AttentionShape& shape,
                                      const AttentionShape* skip) const;
  [[nodiscard]] double factor(const AttentionShape& shape, AttentionPass pass,
                              AttentionKernel kernel) const;
  [[nodiscard]] std::int64_t measured_width(std::int64_t head_dim) const;

  GemmDevice device_;
  AttentionFit fit_;
  AttentionKernel main_kernel_ = AttentionKernel::flash2;
  std::map<Key, Seconds> measured_;
  std::vector<AttentionShape> shapes_;        // behind the residuals
  std::map<std::int64_t, Kriging> residual_;  // by head width
  Range lengths_, batch_heads_;
  std::map<AttentionKernel, double> forward_factor_, backward_factor_;
  std::map<std::int64_t, double> width_rate_, backward_ratio_;
};

}  // namespace stepcast

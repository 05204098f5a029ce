#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "sim/cost/gemm_base.hpp"
#include "sim/cost/kriging.hpp"
#include "sim/cost/profile.hpp"

namespace stepcast {

// What the time of a forward call depends on.
struct AttentionWork {
  double queries = 1.0;    // batch x query heads x query length
  double mean_keys = 1.0;  // that a query sees
  double last_keys = 1.0;  // that the last query sees
  double group = 1.0;      // query heads for each key-value head
  bool causal = true;
  std::int64_t head_dim = 128;
  // The causal square call with the same work and the same mean keys.
  [[nodiscard]] double causal_length() const { return 2.0 * mean_keys - 1.0; }
  [[nodiscard]] double batch_heads() const { return queries / causal_length(); }
};
// A causal mask is the lower triangle with its diagonal, aligned at the end when lengths differ (as
// flash attention does).
[[nodiscard]] AttentionWork attention_work(const AttentionShape& shape);

// Analytical time of a forward call:
//   fixed + (work^p + tail^p)^(1/p)
//   work = 4 head_dim x queries x (mean keys + overhead) / (share x peak), overhead ramp / 2 for
//          causal calls (blocks on the diagonal, uneven rows), ramp / 4 for dense ones
//   tail = 128 queries against the last query's keys, at the rate of one multiprocessor
// The quarter fits the dense curves of FlashAttention-3 on H100 within 6 % (arXiv 2407.08608).
[[nodiscard]] Seconds attention_base_time(const GemmDevice& device, const AttentionBase& base,
                                          const AttentionWork& work);

// Flash attention of one GPU. Forward of the profile's main kernel (the one with most points) is
// the analytical time corrected by kriging of ln(measured / base) over (log2 length,
// log2 batch x heads, log2 group), for each measured head width. From it follow:
//  - dense masks and unequal lengths: the residual of the equivalent causal call;
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
    double low = std::numeric_limits<double>::infinity(), high = 0.0;
    void take_in(double x) {
      low = std::min(low, x);
      high = std::max(high, x);
    }
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

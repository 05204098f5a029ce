#pragma once

#include <vector>

#include "sim/cost/attention_model.hpp"
#include "sim/cost/gemm_model.hpp"

namespace stepcast::calibrate {

// A point predicted without itself: ln(predicted / measured), and the deviation that the model
// states for it.
struct LeftOutPrediction {
  double error = 0.0;
  double sigma = 0.0;
};

// Median and 90th percentile of the errors' size, and their mean. All zero without predictions.
[[nodiscard]] HeldOutError summed_up(const std::vector<LeftOutPrediction>& predictions);

// By how much the stated sigmas must be multiplied so that the median of |error| / sigma becomes
// 0.6745, as for a normal distribution. 1 without predictions.
[[nodiscard]] double sigma_scale(const std::vector<LeftOutPrediction>& predictions);

// Every `stride`-th point of the model, in its order, with `left_out` of its own left out.
[[nodiscard]] std::vector<LeftOutPrediction> predict_gemms(const GemmModel& model,
                                                           GemmModel::LeftOut left_out,
                                                           std::size_t stride = 1);
// Every `stride`-th causal forward call of the profile's main kernel, itself left out.
[[nodiscard]] std::vector<LeftOutPrediction> predict_attention(const Profile& profile,
                                                               std::size_t stride = 1);

}  // namespace stepcast::calibrate

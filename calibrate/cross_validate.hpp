#pragma once

#include <vector>

#include "sim/cost/attention_model.hpp"
#include "sim/cost/gemm_model.hpp"

namespace stepcast::calibrate {

// Errors ln(predicted / measured) summed up: median and 90th percentile of their size, mean.
// No errors: all zero.
[[nodiscard]] HeldOutError summed_up(const std::vector<double>& errors);

// ln(predicted / measured) of every `stride`-th point, in the model's order, each predicted with
// `left_out` of its own left out of the table.
[[nodiscard]] std::vector<double> gemm_errors(const GemmModel& model, GemmModel::LeftOut left_out,
                                              std::size_t stride = 1);
// As above for points of the main kernel's forward call, each left out itself.
[[nodiscard]] std::vector<double> attention_errors(const Profile& profile, std::size_t stride = 1);

// By how much the model's sigmas must be multiplied so that the median of |error| / sigma becomes
// 0.6745, as for a normal distribution. 1 without points.
[[nodiscard]] double sigma_scale(const GemmModel& model, GemmModel::LeftOut left_out);

}  // namespace stepcast::calibrate

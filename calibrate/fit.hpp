#pragma once

#include <vector>

#include "sim/cost/profile.hpp"

namespace stepcast::calibrate {

// Parameters of the GEMM model of one data type: first the analytical time by least absolute log
// error (errors above 0.5 count as 0.5), then the kriging by least error with whole (n, k) sites
// left out, then sigmas scaled to the errors found so. With figures of both. Deterministic; about
// five seconds for 2,600 points. Precondition: there are points of `type`.
[[nodiscard]] GemmFit fit_gemm(const DeviceFacts& device, DataType type,
                               const std::vector<GemmPoint>& points);

// Bytes that serving stacks move to write keys and values into their cache, times bandwidth, as a
// multiple of one read and write of both: fitted together with the analytical attention time, of
// which it is told apart by calls that differ in kv_heads only. Points: forward causal, of one
// kernel. Returns what must be subtracted from each point, at most 70 % of it.
struct KvWrite {
  double factor = 0.0;
  std::vector<Seconds> times;
};
[[nodiscard]] KvWrite fit_kv_write(const DeviceFacts& device,
                                   const std::vector<AttentionPoint>& points);

// Parameters of the attention model, as fit_gemm; the kriging with each point left out.
[[nodiscard]] AttentionFit fit_attention(const Profile& profile);

}  // namespace stepcast::calibrate

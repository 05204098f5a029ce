#pragma once

#include "models/data_type.hpp"
#include "sim/cost/cost_model.hpp"
#include "sim/cost/gemm_fit.hpp"
#include "sim/cost/profile.hpp"

namespace stepcast {

// What the analytical GEMM time needs to know about a device.
struct GemmDevice {
  double multiprocessors = 1.0;
  FlopsPerSecond peak;
  BytesPerSecond memory_bandwidth;
};

// Throws InputError when the device has no rate for `type` (bf16 and fp16 stand for each other).
[[nodiscard]] GemmDevice gemm_device(const DeviceFacts& device, DataType type);

// Analytical time of y[m, n] = x[m, k] w[k, n] from cold memory:
//   fixed + (compute^4 + memory^4)^(1/4), stretched by `droop` beyond 1 ms
// compute: the best over tile shapes and split-k factors 1, 2, 4, 8 of
//   waves x tile flops x (k / split + prologue) / rate of one multiprocessor
// memory: both operands and the output once; fp8 output is bf16.
// Ignores the L2 cache, clocks and the contents of the operands. Never decreases when m, n or k
// grows. Source of the form: tile quantisation as in NVIDIA's matrix multiplication background
// guide; parameters by least absolute log error (calibrate/fit_gemm).
// Precondition: m, n, k >= 1.
[[nodiscard]] Seconds gemm_base_time(const GemmDevice& device, DataType type, const GemmBase& base,
                                     const GemmShape& shape);

// `batch` independent products in one kernel: tiles of all of them share the rounds. Operands that
// are padded to whole head tiles compute as `padded` and move the bytes of `shape`.
//   fixed + (compute^3 + memory^3)^(1/3)
[[nodiscard]] Seconds batched_gemm_time(const GemmDevice& device, DataType type,
                                        const GemmBase& base, std::int64_t batch,
                                        const GemmShape& padded, const GemmShape& shape);

}  // namespace stepcast

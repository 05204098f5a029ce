#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "models/data_type.hpp"
#include "sim/cost/estimate.hpp"

namespace stepcast {

// y[m, n] += x[m, k] w[k, n]; m is rows of the output.
struct GemmShape {
  std::int64_t m = 0, n = 0, k = 0;
  friend auto operator<=>(const GemmShape&, const GemmShape&) = default;
};
// wgrad_accumulate: weight gradient added to an fp32 buffer in the epilogue.
enum class GemmPass { forward, dgrad, wgrad, wgrad_accumulate };

enum class AttentionKernel { flash2, flash3, cudnn, triton };
enum class AttentionPass { forward, backward };
struct AttentionShape {
  std::int64_t batch = 1;
  std::int64_t query_length = 0, key_length = 0;
  std::int64_t heads = 0, kv_heads = 0, head_dim = 0;
  bool causal = true;
  friend auto operator<=>(const AttentionShape&, const AttentionShape&) = default;
};

// Classes of memory-bound kernels that reach different shares of the memory bandwidth.
enum class MemoryKernel {
  fused,    // one pass, coalesced: residual add, activation, bias, rope, copy, Adam
  dropout,  // with random numbers
  norm_forward,
  norm_backward,  // one-pass ("persistent") kernels
  two_pass_norm_forward,
  two_pass_norm_backward,  // older layer norm
  column_reduction,        // bias gradient
  softmax,
  cross_entropy,
  eager,  // unfused PyTorch expression
};

enum class CollectiveOp {
  all_reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  broadcast,
  send_recv
};
[[nodiscard]] std::string_view name_of(CollectiveOp op);
// nccl-tests' bus bandwidth factor: all_reduce 2(n-1)/n, gather/scatter/all-to-all (n-1)/n, else 1.
[[nodiscard]] double bus_bandwidth_factor(CollectiveOp op, std::int64_t ranks);

// Time of one operation alone on an idle machine; contention belongs to the engine.
// Implementations are pure: same arguments, same answer, no I/O. Kernel launch gaps are not
// included: see kernel_gap().
class CostModel {
 public:
  virtual ~CostModel() = default;
  [[nodiscard]] virtual Estimate gemm(const GemmShape& shape, DataType type,
                                      GemmPass pass) const = 0;
  // `batch` independent products, as in unfused attention. Head widths that are not multiples of 64
  // pay for whole tiles.
  [[nodiscard]] virtual Estimate batched_gemm(std::int64_t batch, const GemmShape& shape,
                                              DataType type) const = 0;
  [[nodiscard]] virtual Estimate attention(const AttentionShape& shape, AttentionPass pass,
                                           AttentionKernel kernel) const = 0;
  [[nodiscard]] virtual Estimate memory_bound(Bytes moved, MemoryKernel kernel) const = 0;
  // Time between two kernels of one stream when the host is ahead.
  [[nodiscard]] virtual Seconds kernel_gap() const = 0;
  // NCCL over `ranks` GPUs of one NVLink domain, from measurement (nccl-tests size convention, see
  // sim/network/collectives.hpp); nullopt when nothing was measured for this op.
  [[nodiscard]] virtual std::optional<Estimate> node_collective(CollectiveOp op, std::int64_t ranks,
                                                                Bytes size) const = 0;
};

}  // namespace stepcast

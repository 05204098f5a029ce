#pragma once

#include <map>

#include "sim/cost/attention_model.hpp"
#include "sim/cost/collective_table.hpp"
#include "sim/cost/cost_model.hpp"
#include "sim/cost/gemm_model.hpp"
#include "sim/cost/profile.hpp"

namespace stepcast {

// The tables are short replays. With `sustained`, matrix products and attention are multiplied by
// the profile's constant "gemm.sustained_residual" (16-bit types) or "gemm.sustained_residual_fp8";
// 1 when absent.
struct CostOptions {
  bool sustained = false;
};

// Costs from one profile. Copies what it needs; the profile may go away.
class ProfileCostModel final : public CostModel {
 public:
  explicit ProfileCostModel(const Profile& profile, const CostOptions& options = {});

  // fp16 uses the table of bf16 when it has none of its own (same rate, same bytes); fp8 tables
  // hold dynamic quantisation of the activation. dgrad costs as forward of the same shape, wgrad
  // times constant "gemm.wgrad_ratio", wgrad_accumulate adds "gemm.accumulate_bytes" per output
  // at memory bandwidth. Throws InputError when the device does not compute in `type`.
  [[nodiscard]] Estimate gemm(const GemmShape& shape, DataType type, GemmPass pass) const override;
  // The analytical GEMM time of `batch` times as many tiles, cube norm of compute and memory time.
  // The smallest of m, n, k is taken for the head width.
  [[nodiscard]] Estimate batched_gemm(std::int64_t batch, const GemmShape& shape,
                                      DataType type) const override;
  [[nodiscard]] Estimate attention(const AttentionShape& shape, AttentionPass pass,
                                   AttentionKernel kernel) const override;
  // fixed + moved / (share x memory bandwidth). Ignores the L2 cache: tensors that fit there are
  // overestimated. Throws InputError when the profile has no rate for `kernel`.
  [[nodiscard]] Estimate memory_bound(Bytes moved, MemoryKernel kernel) const override;
  // Constant "host.kernel_gap_s".
  [[nodiscard]] Seconds kernel_gap() const override { return kernel_gap_; }
  [[nodiscard]] std::optional<Estimate> node_collective(CollectiveOp op, std::int64_t ranks,
                                                        Bytes size) const override;

 private:
  [[nodiscard]] const GemmModel& gemm_model(DataType type) const;

  std::string name_;
  DeviceFacts device_;
  std::map<DataType, GemmModel> gemm_;
  AttentionModel attention_;
  std::map<MemoryKernel, MemoryKernelRate> rates_;
  CollectiveTable collectives_;
  double sustained_residual_ = 1.0, sustained_residual_fp8_ = 1.0;
  double wgrad_ratio_ = 1.0, accumulate_bytes_ = 0.0;
  Seconds kernel_gap_;
};

}  // namespace stepcast

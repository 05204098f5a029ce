#pragma once

#include <map>
#include <tuple>

#include "sim/cost/cost_model.hpp"

namespace stepcast {

// Answers as `inner` does and remembers: a step asks for the same few shapes thousands of times.
// Not thread-safe; give each prediction its own.
class MemoisedCostModel final : public CostModel {
 public:
  explicit MemoisedCostModel(const CostModel& inner) : inner_(inner) {}
  [[nodiscard]] Estimate gemm(const GemmShape& shape, DataType type, GemmPass pass) const override;
  [[nodiscard]] Estimate batched_gemm(std::int64_t batch, const GemmShape& shape,
                                      DataType type) const override;
  [[nodiscard]] Estimate attention(const AttentionShape& shape, AttentionPass pass,
                                   AttentionKernel kernel) const override;
  [[nodiscard]] Estimate memory_bound(Bytes moved, MemoryKernel kernel) const override;
  [[nodiscard]] Seconds kernel_gap() const override { return inner_.kernel_gap(); }
  [[nodiscard]] std::optional<Estimate> node_collective(CollectiveOp op, std::int64_t ranks,
                                                        Bytes size) const override;

 private:
  const CostModel& inner_;
  mutable std::map<std::tuple<GemmShape, DataType, GemmPass>, Estimate> gemm_;
  mutable std::map<std::tuple<std::int64_t, GemmShape, DataType>, Estimate> batched_gemm_;
  mutable std::map<std::tuple<AttentionShape, AttentionPass, AttentionKernel>, Estimate> attention_;
};

}  // namespace stepcast

#include "sim/cost/memoised_cost_model.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

// Answers each question with the number of questions so far.
class CountingModel final : public CostModel {
 public:
  [[nodiscard]] Estimate gemm(const GemmShape&, DataType, GemmPass) const override {
    return next();
  }
  [[nodiscard]] Estimate batched_gemm(std::int64_t, const GemmShape&, DataType) const override {
    return next();
  }
  [[nodiscard]] Estimate attention(const AttentionShape&, AttentionPass,
                                   AttentionKernel) const override {
    return next();
  }
  [[nodiscard]] Estimate memory_bound(Bytes, MemoryKernel) const override { return next(); }
  [[nodiscard]] Seconds kernel_gap() const override { return Seconds{7.0}; }
  [[nodiscard]] std::optional<Estimate> node_collective(CollectiveOp op, std::int64_t,
                                                        Bytes) const override {
    if (op == CollectiveOp::broadcast) return std::nullopt;
    return next();
  }

 private:
  Estimate next() const { return {Seconds{++questions_}, 0.0, Basis::analytical}; }
  mutable double questions_ = 0.0;
};

TEST(MemoisedCostModel, AsksOnceForEachDistinctQuestion) {
  const CountingModel inner;
  const MemoisedCostModel model(inner);
  const GemmShape shape{1, 2, 3};
  const auto gemm = [&](DataType type, GemmPass pass) {
    return model.gemm(shape, type, pass).time.value();
  };
  EXPECT_EQ(gemm(DataType::bf16, GemmPass::forward), 1.0);
  EXPECT_EQ(gemm(DataType::bf16, GemmPass::forward), 1.0);
  EXPECT_EQ(gemm(DataType::fp8, GemmPass::forward), 2.0);
  EXPECT_EQ(gemm(DataType::bf16, GemmPass::wgrad), 3.0);
  EXPECT_EQ(model.batched_gemm(4, shape, DataType::bf16).time.value(), 4.0);
  EXPECT_EQ(model.batched_gemm(4, shape, DataType::bf16).time.value(), 4.0);
  EXPECT_EQ(model.batched_gemm(5, shape, DataType::bf16).time.value(), 5.0);
  const AttentionShape call{1, 8, 8, 2, 2, 64, true};
  const auto attention = [&](AttentionPass pass) {
    return model.attention(call, pass, AttentionKernel::flash2).time.value();
  };
  EXPECT_EQ(attention(AttentionPass::forward), 6.0);
  EXPECT_EQ(attention(AttentionPass::backward), 7.0);
  EXPECT_EQ(attention(AttentionPass::forward), 6.0);
}

TEST(MemoisedCostModel, PassesOnWhatIsCheap) {
  const CountingModel inner;
  const MemoisedCostModel model(inner);
  EXPECT_EQ(model.kernel_gap(), Seconds{7.0});
  EXPECT_EQ(model.memory_bound(Bytes{1.0}, MemoryKernel::fused).time, Seconds{1.0});
  EXPECT_EQ(model.node_collective(CollectiveOp::all_reduce, 2, Bytes{1.0})->time, Seconds{2.0});
  EXPECT_FALSE(model.node_collective(CollectiveOp::broadcast, 2, Bytes{1.0}).has_value());
}

}  // namespace
}  // namespace stepcast

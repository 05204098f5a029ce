#pragma once

#include <cstdint>
#include <vector>

#include "sim/program/framework_rules.hpp"
#include "sim/program/operation.hpp"

namespace stepcast {

// Sizes that one rank sees, after the tensor, sequence and context split.
struct RankShape {
  explicit RankShape(const Run& run);
  double tokens;           // T = s b / c
  double residual_tokens;  // T / t with sequence parallel: tokens of the residual stream kept here
  std::int64_t hidden, heads, kv_heads, head_dim, ffn;  // heads and ffn of this rank
  std::int64_t padded_vocabulary_per_rank;
};

// Writes the kernels and collectives of a transformer layer, and of what stands before and after
// the layers, in Megatron's order (SEMANTICS 2-3; kernel lists: ACCURACY_A100 2).
//
// Each memory-bound kernel states the bytes it moves per element in its row of layer.cpp.
class LayerWriter {
 public:
  LayerWriter(const Run& run, const FrameworkRules& rules, double compute_capability);

  void embedding_forward(BlockBuilder& block) const;
  void embedding_backward(BlockBuilder& block) const;
  void layer_forward(BlockBuilder& block) const;
  // Recomputes what the run's recompute setting drops (`whole_layer`: this layer is among the fully
  // recomputed ones), then the gradients.
  void layer_backward(BlockBuilder& block, bool whole_layer) const;
  void head_forward(BlockBuilder& block) const;
  void head_backward(BlockBuilder& block) const;

 private:
  // One weight matrix and the activations that meet it.
  struct Linear {
    const char* name;
    double rows;           // tokens
    std::int64_t outputs;  // columns of y on this rank
    std::int64_t inputs;   // columns of x on this rank
    DataType type;
  };

  [[nodiscard]] Linear qkv() const;
  [[nodiscard]] Linear projection() const;
  [[nodiscard]] Linear fc1() const;
  [[nodiscard]] Linear fc2() const;
  [[nodiscard]] Linear logits_layer() const;
  [[nodiscard]] DataType wide_type() const;

  void attention_part_forward(BlockBuilder& block) const;
  void mlp_part_forward(BlockBuilder& block) const;
  void attention_core_forward(BlockBuilder& block) const;
  void attention_core_backward(BlockBuilder& block) const;
  void ring_attention_forward(BlockBuilder& block) const;
  void ring_attention_backward(BlockBuilder& block) const;
  void unfused_scores_forward(BlockBuilder& block) const;
  void column_forward(BlockBuilder& block, const Linear& linear) const;
  void row_forward(BlockBuilder& block, const Linear& linear) const;
  void column_backward(BlockBuilder& block, const Linear& linear) const;
  void row_backward(BlockBuilder& block, const Linear& linear) const;
  void weight_gradient(BlockBuilder& block, const Linear& linear,
                       std::int64_t reserved_multiprocessors = 0) const;
  void add_residual_forward(BlockBuilder& block, bool bias) const;
  void add_residual_backward(BlockBuilder& block, bool bias) const;
  void norm_forward(BlockBuilder& block) const;
  void norm_backward(BlockBuilder& block) const;
  void rotary(BlockBuilder& block) const;
  void activation_forward(BlockBuilder& block) const;
  void activation_backward(BlockBuilder& block) const;
  void memory(BlockBuilder& block, const char* name, double bytes, MemoryKernel kernel) const;
  void gemm(BlockBuilder& block, const Linear& linear, GemmPass pass, double row_share = 1.0,
            std::int64_t reserved_multiprocessors = 0) const;

  [[nodiscard]] bool tensor_parallel() const { return run_.parallel.tensor > 1; }
  [[nodiscard]] bool sequence_parallel() const {
    return tensor_parallel() && run_.parallel.sequence_parallel;
  }
  [[nodiscard]] bool user_buffers() const { return sequence_parallel() && run_.overlap.tensor; }
  [[nodiscard]] Bytes full_tensor() const;  // X = T h in the activation type
  [[nodiscard]] Communication tensor_op(CollectiveOp op) const;
  void gathered_gemm(BlockBuilder& block, const Linear& linear, GemmPass pass) const;
  void split_qkv_forward(BlockBuilder& block) const;
  void split_qkv_backward(BlockBuilder& block) const;

  const Run& run_;
  const FrameworkRules& rules_;
  RankShape shape_;
  double element_;  // bytes of an activation
  AttentionKernel flash_;
};

}  // namespace stepcast

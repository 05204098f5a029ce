#include "sim/program/layer.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "sim/program/kernel_bytes.hpp"

namespace stepcast {
namespace {

AttentionKernel pick_flash(const FrameworkRules& rules, double compute_capability) {
  return compute_capability >= 9.0 ? rules.flash_kernel_hopper : rules.flash_kernel;
}

bool recomputes(const Recompute& recompute, const std::string& module) {
  if (recompute.kind != RecomputeKind::selective) return false;
  if (recompute.modules.empty()) return module == "core_attn";
  return std::find(recompute.modules.begin(), recompute.modules.end(), module) !=
         recompute.modules.end();
}

}  // namespace

RankShape::RankShape(const Run& run) {
  const std::int64_t t = run.parallel.tensor;
  tokens = static_cast<double>(run.tokens_per_rank());
  residual_tokens = run.parallel.sequence_parallel ? tokens / static_cast<double>(t) : tokens;
  hidden = run.model.hidden;
  heads = run.model.heads / t;
  kv_heads = std::max<std::int64_t>(run.model.kv_heads / t, 1);
  head_dim = run.model.head_dim;
  ffn = run.model.ffn / t;
  padded_vocabulary_per_rank = run.padded_vocabulary() / t;
}

LayerWriter::LayerWriter(const Run& run, const FrameworkRules& rules, double compute_capability)
    : run_(run),
      rules_(rules),
      shape_(run),
      element_(run.training.precision == DataType::fp32 ? 4.0 : 2.0),
      flash_(pick_flash(rules, compute_capability)) {}

LayerWriter::Linear LayerWriter::qkv() const {
  return {"qkv", shape_.tokens, (shape_.heads + 2 * shape_.kv_heads) * shape_.head_dim,
          shape_.hidden, run_.training.precision};
}
LayerWriter::Linear LayerWriter::projection() const {
  return {"projection", shape_.tokens, shape_.hidden, shape_.heads * shape_.head_dim,
          run_.training.precision};
}
LayerWriter::Linear LayerWriter::fc1() const {
  return {"fc1", shape_.tokens, (run_.model.gated_mlp ? 2 : 1) * shape_.ffn, shape_.hidden,
          run_.training.precision};
}
LayerWriter::Linear LayerWriter::fc2() const {
  return {"fc2", shape_.tokens, shape_.hidden, shape_.ffn, run_.training.precision};
}

// The head is not quantised (Transformer Engine recipes leave it in 16 bits), nor is attention.
DataType LayerWriter::wide_type() const {
  return run_.training.precision == DataType::fp8 ? DataType::bf16 : run_.training.precision;
}
LayerWriter::Linear LayerWriter::logits_layer() const {
  return {"logits", shape_.tokens, shape_.padded_vocabulary_per_rank, shape_.hidden, wide_type()};
}

Bytes LayerWriter::full_tensor() const {
  return Bytes{shape_.tokens * static_cast<double>(shape_.hidden) * element_};
}

Communication LayerWriter::tensor_op(CollectiveOp op) const {
  return {GroupKind::tensor, op, full_tensor(), Engines::multiprocessors};
}

void LayerWriter::memory(BlockBuilder& block, const char* name, double moved,
                         MemoryKernel kernel) const {
  block.compute({name, MemoryCall{Bytes{moved * element_ / 2.0}, kernel}, CostKind::memory_bound});
}

void LayerWriter::gemm(BlockBuilder& block, const Linear& linear, GemmPass pass, double row_share,
                       std::int64_t reserved_multiprocessors) const {
  const auto rows = static_cast<std::int64_t>(linear.rows * row_share);
  GemmShape shape{rows, linear.outputs, linear.inputs};
  const char* suffix = " forward";
  if (pass == GemmPass::dgrad) {
    shape = {rows, linear.inputs, linear.outputs};
    suffix = " dgrad";
  } else if (pass != GemmPass::forward) {
    shape = {linear.outputs, linear.inputs, rows};
    suffix = " wgrad";
  }
  block.compute({linear.name + std::string(suffix), GemmCall{shape, linear.type, pass},
                 CostKind::gemm, reserved_multiprocessors});
}
// --- token-wise kernels ---

void LayerWriter::norm_forward(BlockBuilder& block) const {
  const double elements = shape_.residual_tokens * static_cast<double>(shape_.hidden);
  memory(block, "norm forward", elements * bytes::norm_forward,
         rules_.norm == NormKernels::one_pass ? MemoryKernel::norm_forward
                                              : MemoryKernel::two_pass_norm_forward);
}

void LayerWriter::norm_backward(BlockBuilder& block) const {
  const double elements = shape_.residual_tokens * static_cast<double>(shape_.hidden);
  if (rules_.norm == NormKernels::one_pass)
    memory(block, "norm backward", elements * bytes::norm_backward_one_pass,
           MemoryKernel::norm_backward);
  else
    memory(block, "norm backward", elements * bytes::norm_backward_two_pass,
           MemoryKernel::two_pass_norm_backward);
}

void LayerWriter::add_residual_forward(BlockBuilder& block, bool bias) const {
  const double elements = shape_.residual_tokens * static_cast<double>(shape_.hidden);
  if (run_.model.hidden_dropout > 0.0)
    memory(block, bias ? "bias dropout add" : "dropout add", elements * bytes::add_residual_dropout,
           MemoryKernel::dropout);
  else
    memory(block, bias ? "bias add" : "residual add", elements * bytes::add_residual,
           MemoryKernel::fused);
}

void LayerWriter::add_residual_backward(BlockBuilder& block, bool bias) const {
  const double elements = shape_.residual_tokens * static_cast<double>(shape_.hidden);
  if (run_.model.hidden_dropout > 0.0)
    memory(block, "dropout backward", elements * bytes::dropout_backward, MemoryKernel::fused);
  if (bias)
    memory(block, "bias gradient", elements * bytes::bias_gradient, MemoryKernel::column_reduction);
}

void LayerWriter::rotary(BlockBuilder& block) const {
  if (run_.model.position != PositionKind::rotary) return;
  const auto width = static_cast<double>((shape_.heads + shape_.kv_heads) * shape_.head_dim);
  memory(block, "rotary embedding", shape_.tokens * width * bytes::rotary, MemoryKernel::fused);
}

// Queries and keys are rewritten by the rotation; the values are copied out of the joint QKV
// tensor, whose gradient is put together again in backward (MEMORY_EXACT 4: "v is copied").
void LayerWriter::split_qkv_forward(BlockBuilder& block) const {
  rotary(block);
  const auto width = static_cast<double>(shape_.kv_heads * shape_.head_dim);
  memory(block, "value copy", shape_.tokens * width * bytes::copy, MemoryKernel::fused);
}

void LayerWriter::split_qkv_backward(BlockBuilder& block) const {
  rotary(block);
  memory(block, "qkv gradient concatenation",
         shape_.tokens * static_cast<double>(qkv().outputs) * bytes::copy, MemoryKernel::fused);
}

void LayerWriter::activation_forward(BlockBuilder& block) const {
  const double elements = shape_.tokens * static_cast<double>(shape_.ffn);
  memory(block, "activation forward",
         elements * (run_.model.gated_mlp ? bytes::gated : bytes::activation), MemoryKernel::fused);
}

void LayerWriter::activation_backward(BlockBuilder& block) const {
  const double elements = shape_.tokens * static_cast<double>(shape_.ffn);
  memory(block, "activation backward",
         elements * (run_.model.gated_mlp ? bytes::gated_backward : bytes::activation_backward),
         MemoryKernel::fused);
  if (run_.model.mlp_bias)
    memory(block, "bias gradient", elements * bytes::bias_gradient, MemoryKernel::column_reduction);
}

// --- the layer ---

void LayerWriter::attention_part_forward(BlockBuilder& block) const {
  norm_forward(block);
  column_forward(block, qkv());
  if (run_.model.qkv_bias && rules_.separate_qkv_bias)
    memory(block, "qkv bias",
           qkv().rows * static_cast<double>(qkv().outputs) * bytes::separate_bias,
           MemoryKernel::fused);
  if (run_.model.kv_heads < run_.parallel.tensor)
    block.blocking("qkv all-gather", Lane::tensor,
                   {GroupKind::tensor, CollectiveOp::all_gather,
                    Bytes{shape_.tokens *
                          static_cast<double>((run_.model.heads + 2 * run_.model.kv_heads) *
                                              run_.model.head_dim) *
                          element_},
                    Engines::multiprocessors});
  split_qkv_forward(block);
  attention_core_forward(block);
  row_forward(block, projection());
  add_residual_forward(block, run_.model.attention_output_bias);
}

void LayerWriter::mlp_part_forward(BlockBuilder& block) const {
  norm_forward(block);
  column_forward(block, fc1());
  activation_forward(block);
  row_forward(block, fc2());
  add_residual_forward(block, run_.model.mlp_bias);
}

void LayerWriter::layer_forward(BlockBuilder& block) const {
  if (rules_.host_floor_forward.value() > 0.0) block.issue(rules_.host_floor_forward);
  attention_part_forward(block);
  mlp_part_forward(block);
}

void LayerWriter::layer_backward(BlockBuilder& block, bool whole_layer) const {
  if (rules_.host_floor_backward.value() > 0.0)
    block.issue(rules_.host_floor_backward * (whole_layer ? 2.0 : 1.0));
  const Recompute& recompute = run_.training.recompute;
  block.mark_recompute(true);
  if (whole_layer) {
    attention_part_forward(block);
    mlp_part_forward(block);
  } else if (recomputes(recompute, "mlp")) {
    mlp_part_forward(block);
  } else if (recomputes(recompute, "layernorm")) {
    norm_forward(block);
  }
  block.mark_recompute(false);

  add_residual_backward(block, run_.model.mlp_bias);
  row_backward(block, fc2());
  activation_backward(block);
  column_backward(block, fc1());
  norm_backward(block);
  memory(block, "residual gradient add",
         shape_.residual_tokens * static_cast<double>(shape_.hidden) * bytes::accumulate_gradient,
         MemoryKernel::fused);

  add_residual_backward(block, run_.model.attention_output_bias);
  row_backward(block, projection());
  block.mark_recompute(true);
  if (!whole_layer && recomputes(recompute, "core_attn")) attention_core_forward(block);
  if (!whole_layer && recomputes(recompute, "layernorm")) norm_forward(block);
  block.mark_recompute(false);
  attention_core_backward(block);
  split_qkv_backward(block);
  if (run_.model.kv_heads < run_.parallel.tensor)
    block.blocking("qkv-gradient reduce-scatter", Lane::tensor,
                   {GroupKind::tensor, CollectiveOp::reduce_scatter,
                    Bytes{shape_.tokens *
                          static_cast<double>((run_.model.heads + 2 * run_.model.kv_heads) *
                                              run_.model.head_dim) *
                          element_},
                    Engines::multiprocessors});
  if (run_.model.qkv_bias)
    memory(block, "bias gradient",
           qkv().rows * static_cast<double>(qkv().outputs) * bytes::bias_gradient,
           MemoryKernel::column_reduction);
  column_backward(block, qkv());
  norm_backward(block);
  memory(block, "residual gradient add",
         shape_.residual_tokens * static_cast<double>(shape_.hidden) * bytes::accumulate_gradient,
         MemoryKernel::fused);
}

// --- before and after the layers (SEMANTICS 2.4) ---

void LayerWriter::embedding_forward(BlockBuilder& block) const {
  const double elements = shape_.tokens * static_cast<double>(shape_.hidden);
  memory(block, "embedding lookup", elements * bytes::copy, MemoryKernel::fused);
  if (sequence_parallel())
    block.blocking("embedding reduce-scatter", Lane::tensor,
                   tensor_op(CollectiveOp::reduce_scatter));
  else if (tensor_parallel())
    block.blocking("embedding all-reduce", Lane::tensor, tensor_op(CollectiveOp::all_reduce));
  const double kept = shape_.residual_tokens * static_cast<double>(shape_.hidden);
  if (run_.model.position == PositionKind::learned)
    memory(block, "position add", kept * bytes::add_residual, MemoryKernel::fused);
  if (run_.model.hidden_dropout > 0.0)
    memory(block, "embedding dropout", kept * bytes::dropout, MemoryKernel::dropout);
}

void LayerWriter::embedding_backward(BlockBuilder& block) const {
  const double kept = shape_.residual_tokens * static_cast<double>(shape_.hidden);
  if (run_.model.hidden_dropout > 0.0)
    memory(block, "embedding dropout backward", kept * bytes::dropout_backward,
           MemoryKernel::fused);
  if (sequence_parallel())
    block.blocking("embedding-gradient all-gather", Lane::tensor,
                   tensor_op(CollectiveOp::all_gather));
  const double weights =
      static_cast<double>(shape_.padded_vocabulary_per_rank) * static_cast<double>(shape_.hidden);
  memory(block, "embedding gradient",
         shape_.tokens * static_cast<double>(shape_.hidden) * bytes::copy +
             weights * bytes::embedding_weight_gradient,
         MemoryKernel::fused);
}

void LayerWriter::head_forward(BlockBuilder& block) const {
  norm_forward(block);
  if (sequence_parallel())
    block.blocking("input all-gather", Lane::tensor, tensor_op(CollectiveOp::all_gather));
  gemm(block, logits_layer(), GemmPass::forward);
  const double logits = shape_.tokens * static_cast<double>(shape_.padded_vocabulary_per_rank);
  const bool fused = rules_.loss == LossKernels::fused;
  block.compute(
      {"cross entropy forward",
       MemoryCall{Bytes{logits * (fused ? bytes::loss_fused_forward : bytes::loss_unfused_forward)},
                  MemoryKernel::cross_entropy},
       CostKind::memory_bound});
  if (!tensor_parallel()) return;
  // Maximum, then the target's logit and the sum of exponents: fp32 per token.
  const auto reduce = [&](double bytes_per_token) {
    block.blocking("loss all-reduce", Lane::tensor,
                   {GroupKind::tensor, CollectiveOp::all_reduce,
                    Bytes{shape_.tokens * bytes_per_token}, Engines::multiprocessors});
  };
  reduce(4.0);
  if (fused) return reduce(8.0);
  reduce(4.0);
  reduce(4.0);
}

void LayerWriter::head_backward(BlockBuilder& block) const {
  const double logits = shape_.tokens * static_cast<double>(shape_.padded_vocabulary_per_rank);
  const bool fused = rules_.loss == LossKernels::fused;
  block.compute({"cross entropy backward",
                 MemoryCall{Bytes{logits * (fused ? bytes::loss_fused_backward
                                                  : bytes::loss_unfused_backward)},
                            MemoryKernel::cross_entropy},
                 CostKind::memory_bound});
  column_backward(block, logits_layer());
  norm_backward(block);
}

}  // namespace stepcast

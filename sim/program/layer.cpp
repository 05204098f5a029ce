#include "sim/program/layer.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace stepcast {
namespace {

// Bytes per element of the tensor named in each kernel. Two-byte activations; one-byte masks.
namespace bytes {
constexpr double norm_forward = 4;            // read, write
constexpr double norm_backward_one_pass = 6;  // read dy, x; write dx
constexpr double norm_backward_two_pass =
    10;                             // a second kernel reads dy and x for the weight gradient
constexpr double add_residual = 6;  // read x and residual, write
constexpr double add_residual_dropout = 7;  // and the mask
constexpr double dropout_backward = 5;      // read dy and mask, write dx
constexpr double dropout = 5;               // read, write, mask
constexpr double bias_gradient = 2;         // read dy
constexpr double separate_bias = 4;         // read, write
constexpr double rotary = 4;                // read, write
constexpr double copy = 4;
constexpr double activation = 4;           // GELU and kin: read, write
constexpr double activation_backward = 6;  // read dy and x, write dx
constexpr double gated = 6;                // read gate and up, write
constexpr double gated_backward = 10;      // read dy, gate, up; write two gradients
constexpr double softmax_forward = 3;      // causal, fused: reads the triangle, writes the square
constexpr double softmax_backward = 4;
// Cross entropy per logit. Unfused vocabulary-parallel loss in fp32 (Megatron-LM
// core/tensor_parallel/cross_entropy.py, passes counted); fused: 17 ps per token and vocabulary
// entry on an H100 for both directions (Liger-Kernel benchmark, "megatron-fused"), as bytes at 0.87
// of 3.35 TB/s.
constexpr double loss_unfused_forward = 30;
constexpr double loss_unfused_backward = 26;
constexpr double loss_fused_forward = 28;
constexpr double loss_fused_backward = 21.5;
// Ring attention of TransformerEngine (dot_product_attention/context_parallel.py): each step's
// output is scaled by its softmax share (read, write) and added (read two, write one); partial K,
// V, Q and gradient tensors are copied to be contiguous.
constexpr double merge_partial = 10;
constexpr double accumulate_gradient = 6;  // read two, write one
constexpr double embedding_weight_gradient =
    12;  // dense gradient written (2), added to fp32 (2 + 4 + 4)
}  // namespace bytes

// A later ring step touches all queries with half the keys, or half the queries: on average three
// quarters of the output (SEMANTICS 3.2).
constexpr double ring_step_output_share = 0.75;
constexpr double ring_step_half = 0.5;  // it is one half or the other

// TransformerEngine splits a row-parallel GEMM in four to hide its reduce-scatter (TE
// module/base.py).
constexpr int user_buffer_splits = 4;

// Multiprocessors of the user-buffer kernels: the pipelined reduce-scatter, and the bulk all-gather
// and reduce-scatter beside the gradients of column-parallel layers. Read in the tensor-overlap
// settings of the published Llama and GPT-3 launch scripts (2 to 24; ACCURACY_HOPPER 2);
// TransformerEngine's default is 16.
constexpr std::int64_t pipelined_multiprocessors = 24;
constexpr std::int64_t bulk_multiprocessors = 8;

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

struct LayerWriter::Linear {
  const char* name;
  double rows;           // tokens
  std::int64_t outputs;  // columns of y on this rank
  std::int64_t inputs;   // columns of x on this rank
  DataType type;
};

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

// --- linear layers under tensor parallelism (SEMANTICS 2.2, 2.6) ---

// Ring exchange: the product runs in one part for each rank, the first on rows that are here
// already, while copy engines bring the next (TransformerEngine userbuffers).
void LayerWriter::gathered_gemm(BlockBuilder& block, const Linear& linear, GemmPass pass) const {
  const auto ranks = static_cast<double>(run_.parallel.tensor);
  const Communication chunk{GroupKind::tensor, CollectiveOp::send_recv, full_tensor() / ranks,
                            Engines::copy};
  std::vector<BlockBuilder::Handle> received;
  for (std::int64_t i = 1; i < run_.parallel.tensor; ++i)
    received.push_back(block.launch("gather chunk", Lane::tensor, chunk));
  gemm(block, linear, pass, 1.0 / ranks);
  for (const BlockBuilder::Handle handle : received) {
    block.wait(handle);
    gemm(block, linear, pass, 1.0 / ranks);
  }
}

void LayerWriter::column_forward(BlockBuilder& block, const Linear& linear) const {
  if (user_buffers()) return gathered_gemm(block, linear, GemmPass::forward);
  if (sequence_parallel())
    block.blocking("input all-gather", Lane::tensor, tensor_op(CollectiveOp::all_gather));
  gemm(block, linear, GemmPass::forward);
}

void LayerWriter::row_forward(BlockBuilder& block, const Linear& linear) const {
  if (user_buffers()) {
    Communication part = tensor_op(CollectiveOp::reduce_scatter);
    part.size = part.size / user_buffer_splits;
    part.engines = Engines::reserved;
    std::vector<BlockBuilder::Handle> sent;
    for (int i = 0; i < user_buffer_splits; ++i) {
      gemm(block, linear, GemmPass::forward, 1.0 / user_buffer_splits, pipelined_multiprocessors);
      sent.push_back(block.launch("output reduce-scatter", Lane::tensor, part));
    }
    for (const BlockBuilder::Handle handle : sent) block.wait(handle);
    return;
  }
  gemm(block, linear, GemmPass::forward);
  if (sequence_parallel())
    block.blocking("output reduce-scatter", Lane::tensor, tensor_op(CollectiveOp::reduce_scatter));
  else if (tensor_parallel())
    block.blocking("output all-reduce", Lane::tensor, tensor_op(CollectiveOp::all_reduce));
}

void LayerWriter::weight_gradient(BlockBuilder& block, const Linear& linear,
                                  std::int64_t reserved_multiprocessors) const {
  if (rules_.wgrad == WgradAccumulation::fused) {
    gemm(block, linear, GemmPass::wgrad_accumulate, 1.0, reserved_multiprocessors);
    return;
  }
  gemm(block, linear, GemmPass::wgrad);
  const double weights = static_cast<double>(linear.outputs) * static_cast<double>(linear.inputs);
  const double main_gradient = size_of(run_.training.gradient_dtype).value();
  memory(block, "gradient accumulation", weights * (2.0 + 2.0 * main_gradient),
         MemoryKernel::fused);
}

void LayerWriter::column_backward(BlockBuilder& block, const Linear& linear) const {
  const bool synchronous =
      !sequence_parallel() && rules_.tensor_all_reduce == TensorAllReduce::synchronous;
  if (!tensor_parallel() || synchronous) {
    gemm(block, linear, GemmPass::dgrad);
    weight_gradient(block, linear);
    if (tensor_parallel())
      block.blocking("input-gradient all-reduce", Lane::tensor,
                     tensor_op(CollectiveOp::all_reduce));
    return;
  }
  const std::int64_t reserved = user_buffers() ? bulk_multiprocessors : 0;
  const auto beside = [&](const char* name, CollectiveOp op) {
    Communication communication = tensor_op(op);
    if (user_buffers()) communication.engines = Engines::reserved;
    return block.launch(name, Lane::tensor, communication);
  };
  std::vector<BlockBuilder::Handle> gathered;
  if (sequence_parallel()) gathered = {beside("input all-gather", CollectiveOp::all_gather)};
  gemm(block, linear, GemmPass::dgrad, 1.0, reserved);
  for (const BlockBuilder::Handle handle : gathered) block.wait(handle);
  const BlockBuilder::Handle reduced =
      sequence_parallel() ? beside("input-gradient reduce-scatter", CollectiveOp::reduce_scatter)
                          : beside("input-gradient all-reduce", CollectiveOp::all_reduce);
  weight_gradient(block, linear, reserved);
  block.wait(reduced);
}

void LayerWriter::row_backward(BlockBuilder& block, const Linear& linear) const {
  if (user_buffers()) {
    gathered_gemm(block, linear, GemmPass::dgrad);
  } else {
    if (sequence_parallel())
      block.blocking("output-gradient all-gather", Lane::tensor,
                     tensor_op(CollectiveOp::all_gather));
    gemm(block, linear, GemmPass::dgrad);
  }
  weight_gradient(block, linear);
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

// --- attention ---

void LayerWriter::unfused_scores_forward(BlockBuilder& block) const {
  const std::int64_t s = run_.training.sequence_length;
  const std::int64_t batch = run_.training.micro_batch * shape_.heads;
  const double scores =
      static_cast<double>(batch) * static_cast<double>(s) * static_cast<double>(s);
  block.compute({"scores", BatchedGemmCall{batch, {s, s, shape_.head_dim}, wide_type()},
                 CostKind::attention});
  block.compute({"softmax forward",
                 MemoryCall{Bytes{scores * bytes::softmax_forward}, MemoryKernel::softmax},
                 CostKind::attention});
  if (run_.model.attention_dropout > 0.0)
    block.compute({"probability dropout",
                   MemoryCall{Bytes{scores * bytes::dropout}, MemoryKernel::dropout},
                   CostKind::attention});
  block.compute({"weighted values", BatchedGemmCall{batch, {s, shape_.head_dim, s}, wide_type()},
                 CostKind::attention});
  memory(block, "context layout",
         shape_.tokens * static_cast<double>(shape_.heads * shape_.head_dim) * bytes::copy,
         MemoryKernel::fused);
}

void LayerWriter::attention_core_forward(BlockBuilder& block) const {
  if (run_.training.attention == AttentionKind::unfused) return unfused_scores_forward(block);
  if (run_.parallel.context > 1) return ring_attention_forward(block);
  const AttentionShape shape{run_.training.micro_batch,
                             run_.training.sequence_length,
                             run_.training.sequence_length,
                             shape_.heads,
                             shape_.kv_heads,
                             shape_.head_dim,
                             true};
  block.compute({"attention forward", AttentionCall{shape, AttentionPass::forward, flash_},
                 CostKind::attention});
}

void LayerWriter::attention_core_backward(BlockBuilder& block) const {
  if (run_.training.attention == AttentionKind::flash) {
    if (run_.parallel.context > 1) return ring_attention_backward(block);
    const AttentionShape shape{run_.training.micro_batch,
                               run_.training.sequence_length,
                               run_.training.sequence_length,
                               shape_.heads,
                               shape_.kv_heads,
                               shape_.head_dim,
                               true};
    block.compute({"attention backward", AttentionCall{shape, AttentionPass::backward, flash_},
                   CostKind::attention});
    return;
  }
  const std::int64_t s = run_.training.sequence_length;
  const std::int64_t batch = run_.training.micro_batch * shape_.heads;
  const double scores =
      static_cast<double>(batch) * static_cast<double>(s) * static_cast<double>(s);
  const DataType type = wide_type();
  const auto product = [&](const char* name, GemmShape shape) {
    block.compute({name, BatchedGemmCall{batch, shape, type}, CostKind::attention});
  };
  memory(block, "context layout",
         shape_.tokens * static_cast<double>(shape_.heads * shape_.head_dim) * bytes::copy,
         MemoryKernel::fused);
  product("value gradient", {s, shape_.head_dim, s});
  product("probability gradient", {s, s, shape_.head_dim});
  if (run_.model.attention_dropout > 0.0)
    block.compute({"probability dropout backward",
                   MemoryCall{Bytes{scores * bytes::dropout_backward}, MemoryKernel::fused},
                   CostKind::attention});
  block.compute({"softmax backward",
                 MemoryCall{Bytes{scores * bytes::softmax_backward}, MemoryKernel::softmax},
                 CostKind::attention});
  product("query gradient", {s, shape_.head_dim, s});
  product("key gradient", {s, shape_.head_dim, s});
}

// Zig-zag ring (SEMANTICS 3.2, 3.3 `p2p`): step 0 is causal on the local block, each later step is
// a dense half. The next step's K and V travel while this step computes.
void LayerWriter::ring_attention_forward(BlockBuilder& block) const {
  const std::int64_t n = run_.training.sequence_length / run_.parallel.context;
  const std::int64_t b = run_.training.micro_batch;
  const double kv = 2.0 * static_cast<double>(n * b * shape_.kv_heads * shape_.head_dim);
  const double queries = static_cast<double>(n * b * shape_.heads * shape_.head_dim);
  const Communication send{GroupKind::context, CollectiveOp::send_recv, Bytes{kv * element_},
                           Engines::multiprocessors};
  AttentionShape step{b, n, n, shape_.heads, shape_.kv_heads, shape_.head_dim, true};
  memory(block, "kv pack", kv * bytes::copy, MemoryKernel::fused);
  std::vector<BlockBuilder::Handle> received;
  for (std::int64_t i = 0; i < run_.parallel.context; ++i) {
    if (i > 0) block.wait(received.back());
    if (i + 1 < run_.parallel.context)
      received.push_back(block.launch("kv exchange", Lane::context, send));
    if (i > 0) {
      step = {b, n, n / 2, shape_.heads, shape_.kv_heads, shape_.head_dim, false};
      memory(block, "half copy", ring_step_half * (queries + kv) / 2.0 * bytes::copy,
             MemoryKernel::fused);
    }
    block.compute({"ring attention forward", AttentionCall{step, AttentionPass::forward, flash_},
                   CostKind::attention});
  }
  const double steps =
      1.0 + ring_step_output_share * static_cast<double>(run_.parallel.context - 1);
  memory(block, "partial output merge", steps * queries * bytes::merge_partial,
         MemoryKernel::fused);
}

void LayerWriter::ring_attention_backward(BlockBuilder& block) const {
  const std::int64_t c = run_.parallel.context;
  const std::int64_t n = run_.training.sequence_length / c;
  const std::int64_t b = run_.training.micro_batch;
  const double kv = 2.0 * static_cast<double>(n * b * shape_.kv_heads * shape_.head_dim);
  const double queries = static_cast<double>(n * b * shape_.heads * shape_.head_dim);
  AttentionShape step{b, n, n / 2, shape_.heads, shape_.kv_heads, shape_.head_dim, false};
  std::vector<BlockBuilder::Handle> received;
  // Messages: K/V first, then K/V with their gradients, at last the gradients: 2 K (c - 1) in all.
  const auto exchange = [&](double share) {
    received.push_back(block.launch("kv and gradient exchange", Lane::context,
                                    {GroupKind::context, CollectiveOp::send_recv,
                                     Bytes{share * kv * element_}, Engines::multiprocessors}));
  };
  for (std::int64_t i = 0; i < c; ++i) {
    if (i > 0) block.wait(received.back());
    if (i + 1 < c) exchange(i == 0 ? 1.0 : 2.0);
    const bool causal = i + 1 == c;
    if (causal) step = {b, n, n, shape_.heads, shape_.kv_heads, shape_.head_dim, true};
    // Half the queries with their outputs and gradients, or half of K and V.
    if (!causal)
      memory(block, "half copy", ring_step_half * (3.0 * queries + kv) / 2.0 * bytes::copy,
             MemoryKernel::fused);
    block.compute({"ring attention backward", AttentionCall{step, AttentionPass::backward, flash_},
                   CostKind::attention});
    const double share = causal ? 1.0 : ring_step_output_share;
    memory(block, "query gradient merge", queries * share * bytes::accumulate_gradient,
           MemoryKernel::fused);
    memory(block, "kv gradient merge", kv * share * (bytes::copy + bytes::accumulate_gradient),
           MemoryKernel::fused);
  }
  exchange(1.0);
  block.wait(received.back());
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

// The attention core: fused, unfused, and as a ring over the context group (SEMANTICS 3).

#include "sim/program/kernel_bytes.hpp"
#include "sim/program/layer.hpp"

namespace stepcast {
namespace {

// A later ring step touches all queries with half the keys, or half the queries: on average three
// quarters of the output (SEMANTICS 3.2).
constexpr double ring_step_output_share = 0.75;
constexpr double ring_step_half = 0.5;  // it is one half or the other

}  // namespace

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

}  // namespace stepcast

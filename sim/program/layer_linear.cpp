// Matrix products under tensor parallelism (SEMANTICS 2.2, 2.6).

#include "sim/program/kernel_bytes.hpp"
#include "sim/program/layer.hpp"

namespace stepcast {
namespace {

// TransformerEngine splits a row-parallel GEMM in four to hide its reduce-scatter (TE
// module/base.py).
constexpr int user_buffer_splits = 4;

// Multiprocessors of the user-buffer kernels: the pipelined reduce-scatter, and the bulk all-gather
// and reduce-scatter beside the gradients of column-parallel layers. Read in the tensor-overlap
// settings of the published Llama and GPT-3 launch scripts (2 to 24; ACCURACY_HOPPER 2);
// TransformerEngine's default is 16.
constexpr std::int64_t pipelined_multiprocessors = 24;
constexpr std::int64_t bulk_multiprocessors = 8;

}  // namespace

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

}  // namespace stepcast

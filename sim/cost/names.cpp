#include "sim/cost/names.hpp"

namespace stepcast {

std::string_view name_of(CollectiveOp op) {
  switch (op) {
    case CollectiveOp::all_reduce: return "all_reduce";
    case CollectiveOp::all_gather: return "all_gather";
    case CollectiveOp::reduce_scatter: return "reduce_scatter";
    case CollectiveOp::all_to_all: return "all_to_all";
    case CollectiveOp::broadcast: return "broadcast";
    case CollectiveOp::send_recv: return "send_recv";
  }
  return "";
}

std::optional<CollectiveOp> collective_op_named(std::string_view name) {
  if (name == "alltoall") return CollectiveOp::all_to_all;
  if (name == "sendrecv") return CollectiveOp::send_recv;
  return named(all_collective_ops, name);
}

std::string_view name_of(AttentionKernel kernel) {
  switch (kernel) {
    case AttentionKernel::flash2: return "flash2";
    case AttentionKernel::flash3: return "flash3";
    case AttentionKernel::cudnn: return "cudnn";
    case AttentionKernel::triton: return "triton";
  }
  return "";
}

std::string_view name_of(AttentionPass pass) {
  return pass == AttentionPass::forward ? "forward" : "backward";
}

std::string_view name_of(MemoryKernel kernel) {
  switch (kernel) {
    case MemoryKernel::fused: return "fused";
    case MemoryKernel::dropout: return "dropout";
    case MemoryKernel::norm_forward: return "norm_forward";
    case MemoryKernel::norm_backward: return "norm_backward";
    case MemoryKernel::two_pass_norm_forward: return "two_pass_norm_forward";
    case MemoryKernel::two_pass_norm_backward: return "two_pass_norm_backward";
    case MemoryKernel::column_reduction: return "column_reduction";
    case MemoryKernel::softmax: return "softmax";
    case MemoryKernel::cross_entropy: return "cross_entropy";
    case MemoryKernel::eager: return "eager";
  }
  return "";
}

}  // namespace stepcast

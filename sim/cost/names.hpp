#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "sim/cost/cost_model.hpp"

namespace stepcast {

// Names of closed sets as profiles spell them.
inline constexpr std::array all_data_types{DataType::fp32, DataType::bf16, DataType::fp16,
                                           DataType::fp8};
inline constexpr std::array all_attention_kernels{AttentionKernel::flash2, AttentionKernel::flash3,
                                                  AttentionKernel::cudnn, AttentionKernel::triton};
inline constexpr std::array all_attention_passes{AttentionPass::forward, AttentionPass::backward};
inline constexpr std::array all_memory_kernels{MemoryKernel::fused,
                                               MemoryKernel::dropout,
                                               MemoryKernel::norm_forward,
                                               MemoryKernel::norm_backward,
                                               MemoryKernel::two_pass_norm_forward,
                                               MemoryKernel::two_pass_norm_backward,
                                               MemoryKernel::column_reduction,
                                               MemoryKernel::softmax,
                                               MemoryKernel::cross_entropy,
                                               MemoryKernel::eager};
inline constexpr std::array all_collective_ops{
    CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::reduce_scatter,
    CollectiveOp::all_to_all, CollectiveOp::broadcast,  CollectiveOp::send_recv};

[[nodiscard]] std::string_view name_of(AttentionKernel kernel);
[[nodiscard]] std::string_view name_of(AttentionPass pass);
[[nodiscard]] std::string_view name_of(MemoryKernel kernel);

// The member of one of the sets above with this name.
template <class Set>
[[nodiscard]] auto named(const Set& set, std::string_view name)
    -> std::optional<typename Set::value_type> {
  for (const auto member : set)
    if (name_of(member) == name) return member;
  return std::nullopt;
}

// The operation that our documents ("all_to_all") or nccl-tests ("alltoall", "sendrecv") call so.
[[nodiscard]] std::optional<CollectiveOp> collective_op_named(std::string_view name);

}  // namespace stepcast

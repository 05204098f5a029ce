#pragma once

#include <cstdint>

#include "common/units.hpp"
#include "models/transformer.hpp"

namespace stepcast {

// The selection rules of the field in numbers (SEMANTICS 11). F is the rate that a layer reaches on
// this GPU, B the rate at which one rank puts bytes on the wire of a group.

// Attention is a matter of its own when it does this share of a layer's work: a third of the length
// at which it does half (SEMANTICS 11, vectors seq_crossover/*, s_quarter).
inline constexpr double attention_share_of_long_sequences = 0.25;
// assumption: activations get half of the memory, parameters with gradients and optimizer the other
// half. Activations of the first stage do not shrink with more stages (it has as many micro-batches
// in flight), so only tensor and context parallelism or recomputation can keep them in their half.
inline constexpr double activation_share_of_memory = 0.5;
// assumption: tensor parallelism is worth its blocking communication while that takes at most half
// as long as the computation it shortens.
inline constexpr double most_tensor_communication = 0.5;
// assumption: an eighth; the published interleaved runs stay below (Megatron-LM 1T: 63 / 512,
// arXiv 2104.04473; Llama 3 405B: 15 / (8 * 16), arXiv 2407.21783).
inline constexpr double most_bubble = 0.125;
// "prefer m >= 4 p" (SEMANTICS 11, order (4)).
inline constexpr std::int64_t micro_batches_per_stage = 4;
// assumption: with fewer tokens on a GPU, launch gaps and half-empty kernels show.
inline constexpr double least_tokens_of_micro_batch = 4096.0;
// assumption: an axis still pays until tokens/s/GPU falls by more than this.
inline constexpr double knee_loss = 0.05;

// Sequence length at which causal core attention costs as much as the linear layers:
// P_layer / (a d), weights only.
[[nodiscard]] double crossover_length(const Transformer& model);
// s / (s + crossover).
[[nodiscard]] double attention_share(const Transformer& model, std::int64_t sequence_length);

// Tensor communication over computation of a layer's forward: 4 collectives of 2 T h (t - 1) / t
// bytes against 2 T P_layer / t FLOPs, 4 h (t - 1) F / (P_layer B). Tokens cancel.
[[nodiscard]] double tensor_communication(const Transformer& model, std::int64_t tensor,
                                          FlopsPerSecond layer, BytesPerSecond link);

// Tokens of a rank's part of a sequence from which a ring exchange hides behind one causal step:
// 2 (k / a) F / B.
[[nodiscard]] double least_ring_tokens(double kv_heads_per_head, FlopsPerSecond layer,
                                       BytesPerSecond link);

// Tokens of a micro-batch on a rank from which gradients (4 bytes a parameter, behind 4 T FLOPs of
// a backward) and parameters (2 behind a forward's 2 T) hide: F / B.
[[nodiscard]] double least_data_tokens(FlopsPerSecond layer, BytesPerSecond link);

// Idle time of a pipeline over its working time: (p - 1) / (v m).
[[nodiscard]] double bubble_share(std::int64_t pipeline, std::int64_t virtual_stages,
                                  std::int64_t micro_batches);

}  // namespace stepcast

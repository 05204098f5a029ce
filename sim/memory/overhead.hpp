#pragma once

#include <cstdint>
#include <string>

#include "common/units.hpp"
#include "sim/parallel/run.hpp"

namespace stepcast {

// The three numbers between what the allocator hands out and what the card must hold
// (MEMORY_EXACT 11.3): reserved = allocated x factor, device = reserved + outside.

// 1.07: 35 B200 rows of MooreThreads/SimuMax lie at 1.028 to 1.093, torchtitan's compiled rows at
// 1.065. [F] Eager torchtitan holds more (1.15). megatron-deepspeed-2022 (BLOOM): 1.152 [F] on 64
// fp16 rows of bigscience-workshop/bigscience.
[[nodiscard]] double reserved_over_allocated(const std::string& release);

// CUDA context 0.92 GiB (stas00/ml-engineering, A100, torch 2.1.1) plus one NCCL ring communicator
// of 24 channels (231,211,008 bytes, NCCL src/init.cc and transport/p2p.cc) for each group of more
// than one rank. megatron-deepspeed-2022: 5.75 GiB with its buckets. [F] on the same rows.
[[nodiscard]] Bytes outside_allocator(const Run& run, const std::string& release);

// Communicators of more than one rank that a rank takes part in: tensor, context, data with
// context, pipeline, model.
[[nodiscard]] std::int64_t communicators(const Run& run);

}  // namespace stepcast

#pragma once

#include <cstdint>

#include "common/units.hpp"
#include "sim/parallel/run.hpp"

namespace stepcast {

// Bytes of training state per parameter of a rank with Adam (SEMANTICS 5.2).
struct BytesPerParameter {
  double parameters = 0.0;
  double gradients = 0.0;
  // fp32 master copy (none with fp32 parameters), two moments and, under Megatron-LM with fp16
  // gradients, their fp32 copy.
  double optimizer = 0.0;
  [[nodiscard]] double total() const { return parameters + gradients + optimizer; }
};

// `shard_ranks` is the data * context group; `sharding` says what is divided by it. Of hybrid
// sharding it is the size of the inner group.
// Source: Megatron-LM docs dist_optimizer.md; ZeRO (arXiv 1910.02054) section 3.
[[nodiscard]] BytesPerParameter bytes_per_parameter(Framework framework,
                                                    const TrainingConfig& training,
                                                    Sharding sharding, std::int64_t shard_ranks);

// Parameters of one gradient bucket when the reduction overlaps the backward pass. `data_ranks` is
// the size of the reduction group. Source: Megatron-LM
// core/distributed/distributed_data_parallel.py.
[[nodiscard]] std::int64_t gradient_bucket_size(std::int64_t data_ranks);

enum class BucketPadding { plain, high_bus_bandwidth };
// A bucket's end is a multiple of this many elements. Source: Megatron-LM
// core/optimizer/param_layout.py (pad_buckets_for_high_nccl_busbw adds 2^16).
[[nodiscard]] std::int64_t bucket_end_multiple(std::int64_t data_ranks, BucketPadding padding);
// A parameter's start is a multiple of this many elements. Source: as above.
inline constexpr std::int64_t parameter_start_multiple = 64;

// Bytes that one rank sends when `buffer` bytes are reduce-scattered or gathered over `ranks`; an
// all-reduce is one of each (SEMANTICS 5.1).
[[nodiscard]] Bytes scatter_or_gather_wire_bytes(Bytes buffer, std::int64_t ranks);
[[nodiscard]] Bytes all_reduce_wire_bytes(Bytes buffer, std::int64_t ranks);

}  // namespace stepcast

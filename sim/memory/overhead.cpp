#include "sim/memory/overhead.hpp"

namespace stepcast {
namespace {

constexpr double cached_in_2022 = 1.152;
constexpr double cached_now = 1.07;
constexpr Bytes outside_in_2022 = gibibytes(5.75);
constexpr Bytes cuda_context = gibibytes(0.92);
constexpr Bytes nccl_ring_communicator{231211008};

// The stack that trained BLOOM.
bool is_deepspeed_2022(const std::string& release) { return release == "megatron-deepspeed-2022"; }

}  // namespace

double reserved_over_allocated(const std::string& release) {
  return is_deepspeed_2022(release) ? cached_in_2022 : cached_now;
}

std::int64_t communicators(const Run& run) {
  const ParallelConfig& parallel = run.parallel;
  const std::int64_t data_context = parallel.data * parallel.context;
  std::int64_t count = 0;
  for (const std::int64_t ranks : {parallel.tensor, parallel.context, data_context,
                                   parallel.pipeline, parallel.tensor * parallel.pipeline})
    if (ranks > 1) ++count;
  return count;
}

Bytes outside_allocator(const Run& run, const std::string& release) {
  if (is_deepspeed_2022(release)) return outside_in_2022;
  return cuda_context + nccl_ring_communicator * static_cast<double>(communicators(run));
}

}  // namespace stepcast

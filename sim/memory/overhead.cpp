#include "sim/memory/overhead.hpp"

namespace stepcast {
namespace {

constexpr double deepspeed_reserved = 1.152;
constexpr double current_reserved = 1.07;
constexpr Bytes deepspeed_outside = gibibytes(5.75);
constexpr Bytes cuda_context = gibibytes(0.92);
constexpr Bytes nccl_ring_communicator{231211008};

}  // namespace

double reserved_over_allocated(Framework framework, const std::string& release) {
  const bool deepspeed = framework == Framework::deepspeed || release == "megatron-deepspeed-2023";
  return deepspeed ? deepspeed_reserved : current_reserved;
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
  if (run.framework == Framework::deepspeed || release == "megatron-deepspeed-2023")
    return deepspeed_outside;
  return cuda_context + nccl_ring_communicator * static_cast<double>(communicators(run));
}

}  // namespace stepcast

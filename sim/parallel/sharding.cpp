#include "sim/parallel/sharding.hpp"

#include <algorithm>
#include <numeric>

namespace stepcast {

BytesPerParameter bytes_per_parameter(Framework framework, const TrainingConfig& training,
                                      Sharding sharding, std::int64_t shard_ranks) {
  constexpr double fp32_bytes = 4.0;
  const double ranks = static_cast<double>(shard_ranks);
  BytesPerParameter bytes{.parameters = size_of(training.parameter_dtype).value(),
                          .gradients = size_of(training.gradient_dtype).value(),
                          .optimizer = 2.0 * size_of(training.optimizer_dtype).value()};
  if (training.parameter_dtype != DataType::fp32) bytes.optimizer += fp32_bytes;
  if (framework == Framework::megatron && training.gradient_dtype == DataType::fp16)
    bytes.optimizer += fp32_bytes;
  if (sharding != Sharding::none) bytes.optimizer /= ranks;
  if (sharding == Sharding::gradients || sharding == Sharding::parameters ||
      sharding == Sharding::hybrid)
    bytes.gradients /= ranks;
  if (sharding == Sharding::parameters || sharding == Sharding::hybrid) bytes.parameters /= ranks;
  return bytes;
}

std::int64_t gradient_bucket_size(std::int64_t data_ranks) {
  return std::max<std::int64_t>(40'000'000, 1'000'000 * data_ranks);
}

std::int64_t bucket_end_multiple(std::int64_t data_ranks, BucketPadding padding) {
  const std::int64_t plain = std::lcm<std::int64_t>(data_ranks, 128);
  if (padding == BucketPadding::plain) return plain;
  return std::lcm<std::int64_t>(plain, std::int64_t{1} << 16);
}

Bytes scatter_or_gather_wire_bytes(Bytes buffer, std::int64_t ranks) {
  return buffer * (static_cast<double>(ranks - 1) / static_cast<double>(ranks));
}

Bytes all_reduce_wire_bytes(Bytes buffer, std::int64_t ranks) {
  return 2.0 * scatter_or_gather_wire_bytes(buffer, ranks);
}

}  // namespace stepcast

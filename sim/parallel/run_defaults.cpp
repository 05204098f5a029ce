#include "sim/parallel/run_defaults.hpp"

namespace stepcast {

bool default_sequence_parallel(Framework framework, std::int64_t tensor) {
  return framework == Framework::torchtitan && tensor > 1;
}

Sharding default_sharding(Framework framework) {
  return framework == Framework::torchtitan ? Sharding::parameters : Sharding::none;
}

ScheduleKind default_schedule(std::int64_t virtual_stages) {
  return virtual_stages > 1 ? ScheduleKind::interleaved : ScheduleKind::one_f_one_b;
}

bool default_counts_ends_as_layers(Framework framework, std::int64_t pipeline) {
  return framework == Framework::torchtitan && pipeline > 1;
}

DataType default_parameter_dtype(Framework framework, DataType precision) {
  if (framework == Framework::torchtitan) return DataType::fp32;
  return precision == DataType::fp8 ? DataType::bf16 : precision;
}

DataType default_gradient_dtype(DataType precision) {
  return precision == DataType::fp16 ? DataType::fp16 : DataType::fp32;
}

OverlapConfig default_overlap(Framework framework, ScheduleKind schedule, Sharding sharding) {
  OverlapConfig overlap;
  overlap.pipeline = schedule == ScheduleKind::interleaved;
  if (framework == Framework::torchtitan) {
    overlap.grad_reduce = true;
    overlap.param_gather = sharding == Sharding::parameters || sharding == Sharding::hybrid;
  }
  return overlap;
}

}  // namespace stepcast

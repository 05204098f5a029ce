#pragma once

#include "sim/parallel/run.hpp"

namespace stepcast {

// What a framework does when the run file is silent; the sources stand in run_json.hpp.
[[nodiscard]] bool default_sequence_parallel(Framework framework, std::int64_t tensor);
[[nodiscard]] Sharding default_sharding(Framework framework);
[[nodiscard]] ScheduleKind default_schedule(std::int64_t virtual_stages);
[[nodiscard]] bool default_counts_ends_as_layers(Framework framework, std::int64_t pipeline);
[[nodiscard]] DataType default_parameter_dtype(Framework framework, DataType precision);
[[nodiscard]] DataType default_gradient_dtype(DataType precision);
[[nodiscard]] OverlapConfig default_overlap(Framework framework, ScheduleKind schedule,
                                            Sharding sharding);

}  // namespace stepcast

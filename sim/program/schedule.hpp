#pragma once

#include <cstdint>
#include <vector>

#include "sim/parallel/action.hpp"
#include "sim/parallel/run.hpp"

namespace stepcast {

// Actions of one pipeline rank, in order. `groups` cuts the order where the rank exchanges tensors
// with its neighbours when transfers do not overlap: everything a group produced is sent and
// everything the next group needs is received before that starts (Megatron-LM
// core/pipeline_parallel/schedules.py).
struct StageOrder {
  std::vector<Action> actions;
  std::vector<std::size_t> groups;  // index of the first action of each group
};

struct ScheduleShape {
  ScheduleKind kind = ScheduleKind::one_f_one_b;
  std::int64_t stages = 1;  // pipeline ranks
  std::int64_t virtual_stages = 1;
  std::int64_t micro_batches = 1;
  std::int64_t microbatch_group = 0;  // interleaved; 0: `stages`
};

// Order of every rank for gpipe, 1f1b and interleaved (SEMANTICS 4.1). Preconditions: the shape
// passed check_rules (micro_batches >= 1, group sizes legal).
[[nodiscard]] std::vector<StageOrder> make_schedule(const ScheduleShape& shape);

// Most chunk activations alive at once on one rank (forward done, backward not yet).
[[nodiscard]] std::int64_t peak_in_flight(const StageOrder& order);

}  // namespace stepcast

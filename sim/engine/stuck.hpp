#pragma once

#include <span>
#include <string>

#include "sim/engine/task_table.hpp"

namespace stepcast {

// Why a run cannot go on: the first tasks (at most 5, by id) that are next on one of their streams
// or on none, each with the first task that it waits for. A task that has not ended has an end
// before time zero.
[[nodiscard]] std::string describe_stuck(const TaskTable& tasks,
                                         std::span<const std::string> streams,
                                         std::span<const Interval> intervals);

}  // namespace stepcast

#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "common/units.hpp"

namespace stepcast {

// Allocated bytes after each change, by time.
using MemoryPoints = std::vector<std::pair<Seconds, Bytes>>;

// At most `limit` points (at least 2), with the lowest and highest of each stretch of time: local
// maxima survive and the peak keeps its exact time and size.
[[nodiscard]] MemoryPoints thin(const MemoryPoints& points, std::size_t limit);

// What a stage gets of `limit` points for all stages: 200 to 2000.
[[nodiscard]] std::size_t points_of_a_stage(std::size_t limit, std::size_t stages);

}  // namespace stepcast

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/parallel/run.hpp"

namespace stepcast {

// What "best" means. With a fixed number of GPUs the first four agree. Cost is GPU-hours times a
// price.
enum class Objective { time, throughput_per_gpu, gpu_hours, cost, memory };

struct SearchLimits {
  // Largest degrees; 0: no limit.
  std::int64_t tensor = 0, pipeline = 0, context = 0, data = 0, virtual_stages = 0;
  std::int64_t micro_batch = 0;
  double memory_margin = 0.0;       // share of the GPU's memory to leave free
  std::optional<int> complexity{};  // most engineering_complexity (candidate.hpp)
};

struct SearchRequest {
  // One run for each number of GPUs to consider: the same model, training and framework on that
  // many GPUs. Its overlap flags are those of every candidate where they can act.
  std::vector<Run> bases;
  // Members that stay as they are in the run: "tensor", "pipeline", "context", "data",
  // "virtual_stages", "schedule", "sequence_parallel", "sharding", "order", "stage_layers",
  // "context_kind", "micro_batch", "recompute".
  std::set<std::string> pinned;
  SearchLimits limits;
  Objective objective = Objective::time;
  std::size_t top = 10;
  bool prune = true;  // tests compare with false
};

}  // namespace stepcast

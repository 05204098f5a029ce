#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "sim/engine/engine.hpp"
#include "sim/memory/memory.hpp"
#include "sim/program/operation_cost.hpp"
#include "sim/program/step_program.hpp"

namespace stepcast {

// What a simulated task was. `operation` indexes StepSimulation::operations.
struct TaskRecord {
  std::int32_t stage = 0;
  std::uint32_t operation = 0;
};

enum class Track { compute, tensor, context, data, host, pipeline, embedding, model };

struct OperationRecord {
  std::string name;
  Track track = Track::compute;
  bool recompute = false;
  CollectiveOp op = CollectiveOp::all_reduce;  // of communication
  std::int64_t ranks = 0;
  LinkTier slowest_tier = LinkTier::nvlink;
  Bytes size;
  CostedOperation cost;
};

// A simulated step: one representative rank for each pipeline stage.
struct StepSimulation {
  RunReport report;
  std::vector<TaskRecord> tasks;  // by TaskId
  std::vector<OperationRecord> operations;
  std::vector<std::vector<TaskId>> compute_tasks;       // by stage, in execution order
  std::vector<std::vector<TimedAction>> actions;        // by stage, in execution order
  std::vector<std::vector<ResourceId>> link_resources;  // [stage][tier * 2 + direction]

  // Tasks that `task` waited for: explicit ones; the stream order is not repeated here.
  [[nodiscard]] std::vector<TaskId> predecessors(TaskId task) const;
  std::vector<std::uint32_t> after_begin, after;       // compressed rows of tasks
  std::vector<std::pair<TaskId, TaskId>> later_after;  // sorted; added after the tasks existed
};

// Simulates the program with the run's placement on its cluster.
[[nodiscard]] StepSimulation simulate_step(const Run& run, const StepProgram& program,
                                           const Profile& profile, const CostModel& costs);

}  // namespace stepcast

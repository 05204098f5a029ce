#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/engine/engine.hpp"
#include "sim/memory/memory.hpp"
#include "sim/predict/prediction.hpp"
#include "sim/program/operation_cost.hpp"
#include "sim/program/step_program.hpp"

namespace stepcast {

// What a simulated task was. `operation` indexes StepSimulation::operations.
struct TaskRecord {
  std::int32_t stage = 0;
  std::uint32_t operation = 0;
};

// What is one task of the engine: every operation; or an action as a whole, timed by itself, where
// it holds no gradient reduction and waits for no gathered parameters. Both give the same times
// where transfers between stages do not overlap; beside overlapped transfers a folded action is
// slowed down evenly.
enum class SimulationDetail { operations, actions };

// How well a cost is known.
struct CostDoubt {
  std::array<double, 5> sigma_seconds{};  // by CostKind, then communication
  std::array<double, 4> by_basis{};       // seconds by Basis
};

enum class Track { compute, tensor, context, data, host, pipeline, embedding, model };

// Calls that are reported as one row.
using CommunicationKey = std::tuple<Track, CollectiveOp, Algorithm, Protocol, std::int64_t>;

// What a folded action (SimulationDetail::actions) consists of; times as it takes alone.
struct FoldedAction {
  StageBreakdown parts;
  std::map<CommunicationKey, CommunicationTotal> communication;
  std::array<double, link_tier_count> peak_use{};  // of each tier's links, either direction
};

struct OperationRecord {
  std::string name;
  Track track = Track::compute;
  bool recompute = false;
  CollectiveOp op = CollectiveOp::all_reduce;  // of communication
  std::int64_t ranks = 0;
  LinkTier slowest_tier = LinkTier::nvlink;
  Bytes size;
  CostedOperation cost;
  CostDoubt doubt;
  std::shared_ptr<const FoldedAction> folded;  // of an action that is simulated as one task
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
                                           const Profile& profile, const CostModel& costs,
                                           SimulationDetail detail = SimulationDetail::operations);

}  // namespace stepcast

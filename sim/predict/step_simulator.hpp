#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/network/placement.hpp"
#include "sim/predict/step_simulation.hpp"

// Internal to simulate_step: turns a step program into engine tasks.
namespace stepcast::detail {

inline constexpr int lane_count = 5;  // of Lane

// Where a stage's representative rank meets the engine.
struct StageResources {
  ResourceId device, memory;
  std::array<StreamId, lane_count> lanes;
  StreamId send_forward, send_backward;
  std::array<ResourceId, link_tier_count> out, in;
};

struct CostedBlock {
  const Block* block = nullptr;
  std::vector<std::uint32_t> operations;  // indices of operation records
};

// Chunks whose action takes the same time: shape, kind of action, where their groups are placed.
struct ActionKey {
  std::int64_t layers = 0;
  bool embedding = false, head = false;
  ActionKind kind = ActionKind::forward;
  std::size_t tensor_placement = 0, context_placement = 0;
  friend auto operator<=>(const ActionKey&, const ActionKey&) = default;
};

struct CostedChunk {
  CostedBlock forward, first_forward, backward, last_backward;
};

// Tasks of one executed block.
struct Executed {
  std::vector<TaskId> entries, exits;
  TaskId first, last;
};

class StepSimulator {
 public:
  StepSimulator(const Run& run, const StepProgram& program, const Profile& profile,
                const CostModel& costs, SimulationDetail detail)
      : run_(run),
        program_(program),
        profile_(profile),
        cost_model_(costs),
        detail_(detail),
        alike_(stages_are_placed_alike(run.cluster, run.parallel)),
        collectives_(run.cluster, profile, costs),
        costs_(profile, costs, collectives_) {}

  StepSimulation simulate();
  // The time of one block on the first stage when nothing else runs.
  Seconds time_alone(const Block& block);

 private:
  using GroupKey = std::pair<GroupKind, std::int64_t>;

  void add_stage(std::int64_t stage);
  const Placement& placement(GroupKind kind, std::int64_t stage);
  std::uint32_t record(const Operation& operation, std::int64_t stage);
  std::uint32_t record_collective(const std::string& name, Track track, CollectiveOp op, Bytes size,
                                  Engines engines, const Placement& placement);
  CostedBlock cost(const Block& block, std::int64_t stage);
  // Of SimulationDetail::actions: the block as one operation where it folds.
  CostedBlock cost_action(const Block& block, const ActionKey& key, std::int64_t stage);
  [[nodiscard]] StepSimulation run_alone(const CostedBlock& block) const;
  [[nodiscard]] OperationRecord fold(const CostedBlock& block) const;
  [[nodiscard]] std::vector<CostedChunk> cost_chunks(std::int64_t stage);
  std::size_t placement_class(GroupKind kind, std::int64_t stage);
  Executed add_block(const CostedBlock& block, std::int64_t stage,
                     const std::vector<TaskId>& before);
  TaskId add_task(std::uint32_t operation, std::int64_t stage, std::span<const StreamId> streams,
                  std::vector<TaskId> after, std::optional<std::int64_t> receiver = {});
  void depend(const std::vector<TaskId>& tasks, TaskId on);

  void add_actions(std::int64_t stage);
  void add_transfers(std::int64_t stage);
  void add_transfer(std::int64_t stage, std::size_t position, std::uint32_t operation);
  void add_step_end();
  [[nodiscard]] std::vector<std::vector<std::uint32_t>> norm_groups() const;
  void run_engine();
  void collect(StepSimulation& simulation);

  [[nodiscard]] std::int64_t stages() const { return run_.parallel.pipeline; }
  [[nodiscard]] std::size_t index_of(const Action& action) const;

  const Run& run_;
  const StepProgram& program_;
  const Profile& profile_;
  const CostModel& cost_model_;
  SimulationDetail detail_;
  bool alike_;  // one stage's placements are every stage's
  CollectiveModel collectives_;
  OperationCosts costs_;
  Engine engine_;
  StepSimulation result_;
  std::map<GroupKey, Placement> placements_;
  std::optional<Placement> boundary_;  // of the transfers recorded last
  std::vector<Placement> placement_classes_;
  std::map<ActionKey, std::uint32_t> folded_;  // operation record of each folded action
  std::vector<StageResources> resources_;
  std::vector<std::vector<Executed>> executed_;            // [stage][position in the order]
  std::vector<std::vector<std::size_t>> position_groups_;  // [stage][position] -> group
  std::vector<std::vector<std::size_t>> positions_;        // [stage][action index] -> position
  std::vector<std::vector<TaskId>> gathers_;               // [stage][gather]
  std::vector<std::optional<TaskId>> last_data_;           // newest task on the data lane
};

}  // namespace stepcast::detail

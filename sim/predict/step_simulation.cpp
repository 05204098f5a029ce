#include "sim/predict/step_simulation.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "sim/network/placement.hpp"

namespace stepcast {
namespace {

constexpr int lane_count = 5;  // of Lane

Track track_of(Lane lane) {
  switch (lane) {
    case Lane::compute: return Track::compute;
    case Lane::tensor: return Track::tensor;
    case Lane::context: return Track::context;
    case Lane::data: return Track::data;
    case Lane::host: return Track::host;
  }
  return Track::compute;
}

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
                const CostModel& costs)
      : run_(run),
        program_(program),
        collectives_(run.cluster, profile, costs),
        costs_(profile, costs, collectives_) {}

  StepSimulation simulate();

 private:
  using GroupKey = std::pair<GroupKind, std::int64_t>;

  void add_stage_resources();
  const Placement& placement(GroupKind kind, std::int64_t stage);
  std::uint32_t record(const Operation& operation, std::int64_t stage);
  std::uint32_t record_collective(const std::string& name, Track track, CollectiveOp op, Bytes size,
                                  Engines engines, const Placement& placement);
  CostedBlock cost(const Block& block, std::int64_t stage);
  Executed add_block(const CostedBlock& block, std::int64_t stage,
                     const std::vector<TaskId>& before);
  TaskId add_task(std::uint32_t operation, std::int64_t stage, std::span<const StreamId> streams,
                  std::vector<TaskId> after, std::optional<std::int64_t> receiver = {});
  void depend(const std::vector<TaskId>& tasks, TaskId on);

  void add_actions(std::int64_t stage);
  void add_transfers(std::int64_t stage);
  void add_transfer(std::int64_t stage, std::size_t position, std::uint32_t operation);
  void add_step_end();
  void collect(StepSimulation& simulation);

  [[nodiscard]] std::int64_t stages() const { return run_.parallel.pipeline; }
  [[nodiscard]] std::size_t group_of(std::int64_t stage, std::size_t position) const;
  [[nodiscard]] std::size_t position_of(std::int64_t stage, const Action& action) const;

  const Run& run_;
  const StepProgram& program_;
  CollectiveModel collectives_;
  OperationCosts costs_;
  Engine engine_;
  StepSimulation result_;
  std::map<GroupKey, Placement> placements_;
  std::vector<StageResources> resources_;
  std::vector<std::vector<Executed>> executed_;            // [stage][position in the order]
  std::vector<std::vector<std::size_t>> position_groups_;  // [stage][position] -> group
  std::vector<std::vector<std::size_t>> positions_;        // [stage][action index] -> position
  std::vector<std::vector<TaskId>> gathers_;               // [stage][gather]
  std::vector<std::optional<TaskId>> last_data_;           // newest task on the data lane
};

void StepSimulator::add_stage_resources() {
  for (std::int64_t stage = 0; stage < stages(); ++stage) {
    const std::string name = "stage " + std::to_string(stage);
    StageResources here;
    here.device = engine_.add_device(name + " SMs");
    here.memory = engine_.add_resource(name + " memory bandwidth", 1.0);
    for (StreamId& lane : here.lanes) lane = engine_.add_stream(name);
    here.send_forward = engine_.add_stream(name + " send forward");
    here.send_backward = engine_.add_stream(name + " send backward");
    std::vector<ResourceId> links;
    for (int tier = 0; tier < link_tier_count; ++tier) {
      const auto index = static_cast<std::size_t>(tier);
      const std::string tier_name = name + " " + std::string(name_of(static_cast<LinkTier>(tier)));
      here.out[index] = engine_.add_resource(tier_name + " out", 1.0);
      here.in[index] = engine_.add_resource(tier_name + " in", 1.0);
      links.push_back(here.out[index]);
      links.push_back(here.in[index]);
    }
    resources_.push_back(here);
    result_.link_resources.push_back(std::move(links));
  }
}

const Placement& StepSimulator::placement(GroupKind kind, std::int64_t stage) {
  const GroupKey key{kind, stage};
  const auto found = placements_.find(key);
  if (found != placements_.end()) return found->second;
  return placements_
      .emplace(key, place_groups(run_.cluster, rank_groups_of_stage(run_.parallel, kind, stage)))
      .first->second;
}

std::uint32_t StepSimulator::record_collective(const std::string& name, Track track,
                                               CollectiveOp op, Bytes size, Engines engines,
                                               const Placement& placement) {
  OperationRecord record;
  record.name = name;
  record.track = track;
  record.op = op;
  record.size = size;
  record.ranks = placement.ranks;
  record.cost = costs_.communication(op, size, engines, placement);
  for (const TierUse& use : record.cost.use)
    record.slowest_tier = std::max(record.slowest_tier, use.tier);
  result_.operations.push_back(std::move(record));
  return static_cast<std::uint32_t>(result_.operations.size() - 1);
}

std::uint32_t StepSimulator::record(const Operation& operation, std::int64_t stage) {
  if (const auto* communication = std::get_if<Communication>(&operation.work))
    return record_collective(operation.name, track_of(operation.lane), communication->op,
                             communication->size, communication->engines,
                             placement(communication->group, stage));
  OperationRecord record;
  record.name = operation.name;
  record.track = track_of(operation.lane);
  if (const auto* issue = std::get_if<HostIssue>(&operation.work)) {
    record.cost.duration = issue->time;
  } else {
    const auto& compute = std::get<Compute>(operation.work);
    record.recompute = compute.recompute;
    record.cost = costs_.compute(compute);
    record.name = compute.kernels[record.cost.parts.longest].name;
    if (compute.kernels.size() > 1)
      record.name += " and " + std::to_string(compute.kernels.size() - 1) + " more";
  }
  result_.operations.push_back(std::move(record));
  return static_cast<std::uint32_t>(result_.operations.size() - 1);
}

CostedBlock StepSimulator::cost(const Block& block, std::int64_t stage) {
  CostedBlock costed{&block, {}};
  for (const Operation& operation : block.operations)
    costed.operations.push_back(record(operation, stage));
  return costed;
}

TaskId StepSimulator::add_task(std::uint32_t operation, std::int64_t stage,
                               std::span<const StreamId> streams, std::vector<TaskId> after,
                               std::optional<std::int64_t> receiver) {
  const CostedOperation& cost = result_.operations[operation].cost;
  const StageResources& here = resources_[static_cast<std::size_t>(stage)];
  const StageResources& there = resources_[static_cast<std::size_t>(receiver.value_or(stage))];
  std::array<Usage, 1 + 2 * link_tier_count> usage;
  std::size_t used = 0;
  if (cost.memory_share > 0.0) usage[used++] = {here.memory, cost.memory_share};
  for (const TierUse& tier : cost.use) {
    usage[used++] = {here.out[static_cast<std::size_t>(tier.tier)], tier.seconds_per_byte};
    usage[used++] = {there.in[static_cast<std::size_t>(tier.tier)], tier.seconds_per_byte};
  }
  TaskView task;
  task.streams = streams;
  task.after = after;
  task.latency = cost.latency;
  task.duration = cost.duration;
  task.usage = {usage.data(), used};
  if (result_.operations[operation].track == Track::compute || cost.held_share > 0.0)
    task.device = here.device;
  task.held_share = cost.held_share;
  task.speed_beside_compute = cost.speed_beside_compute;
  const TaskId id = engine_.add(task);
  result_.tasks.push_back({static_cast<std::int32_t>(stage), operation});
  result_.after_begin.push_back(static_cast<std::uint32_t>(result_.after.size()));
  for (const TaskId predecessor : after) result_.after.push_back(predecessor.index);
  return id;
}

void StepSimulator::depend(const std::vector<TaskId>& tasks, TaskId on) {
  for (const TaskId task : tasks) {
    engine_.add_dependency(task, on);
    result_.later_after.emplace_back(task, on);
  }
}

Executed StepSimulator::add_block(const CostedBlock& block, std::int64_t stage,
                                  const std::vector<TaskId>& before) {
  const auto at = static_cast<std::size_t>(stage);
  Executed executed;
  const auto base = static_cast<std::uint32_t>(engine_.task_count());
  for (std::size_t i = 0; i < block.operations.size(); ++i) {
    const Operation& operation = block.block->operations[i];
    std::vector<TaskId> after;
    for (const std::uint32_t earlier : operation.after) after.push_back(TaskId{base + earlier});
    // Exchanges between stages synchronise the host; without them it runs ahead.
    if (operation.after.empty() && (operation.lane != Lane::host || stages() > 1)) after = before;
    if (operation.after_gather) after.push_back(gathers_[at][*operation.after_gather]);
    const StreamId lane = resources_[at].lanes[static_cast<std::size_t>(operation.lane)];
    const TaskId id = add_task(block.operations[i], stage, {&lane, 1}, std::move(after));
    if (operation.after.empty()) executed.entries.push_back(id);
    if (operation.lane == Lane::compute) result_.compute_tasks[at].push_back(id);
    if (operation.lane == Lane::data) last_data_[at] = id;
  }
  for (const std::uint32_t exit : block.block->exits) executed.exits.push_back(TaskId{base + exit});
  if (block.operations.empty()) executed.exits = before;
  executed.first = TaskId{base};
  executed.last = TaskId{static_cast<std::uint32_t>(engine_.task_count()) - 1};
  return executed;
}

void StepSimulator::add_actions(std::int64_t stage) {
  const auto at = static_cast<std::size_t>(stage);
  const StageProgram& program = program_.stages[at];
  std::vector<CostedChunk> chunks;
  for (const ChunkProgram& chunk : program.chunks)
    chunks.push_back({cost(chunk.forward, stage), cost(chunk.first_forward, stage),
                      cost(chunk.backward, stage), cost(chunk.last_backward, stage)});
  for (const Operation& gather : program.gathers) {
    const StreamId lane = resources_[at].lanes[static_cast<std::size_t>(Lane::data)];
    gathers_[at].push_back(add_task(record(gather, stage), stage, {&lane, 1}, {}));
  }
  const auto last_micro_batch = static_cast<std::int32_t>(run_.micro_batches() - 1);
  positions_[at].assign(program.chunks.size() * static_cast<std::size_t>(run_.micro_batches()) * 2,
                        0);
  std::vector<TaskId> before;
  std::size_t group = 0;
  for (std::size_t position = 0; position < program.order.actions.size(); ++position) {
    const Action& action = program.order.actions[position];
    const CostedChunk& chunk = chunks[static_cast<std::size_t>(action.chunk)];
    const CostedBlock* block = &chunk.forward;
    if (action.kind == ActionKind::forward) {
      if (action.micro_batch == 0) block = &chunk.first_forward;
    } else {
      block = action.micro_batch == last_micro_batch ? &chunk.last_backward : &chunk.backward;
    }
    executed_[at].push_back(add_block(*block, stage, before));
    before = executed_[at].back().exits;
    while (group + 1 < program.order.groups.size() && program.order.groups[group + 1] <= position)
      ++group;
    position_groups_[at].push_back(group);
    positions_[at][position_of(stage, action)] = position;
  }
}

// Index of an action in positions_[stage].
std::size_t StepSimulator::position_of(std::int64_t /*stage*/, const Action& action) const {
  const auto m = static_cast<std::size_t>(run_.micro_batches());
  return (static_cast<std::size_t>(action.chunk) * m +
          static_cast<std::size_t>(action.micro_batch)) *
             2 +
         (action.kind == ActionKind::forward ? 0 : 1);
}

// Sends the result of one action to the rank that consumes it, if another rank does.
void StepSimulator::add_transfer(std::int64_t stage, std::size_t position,
                                 std::uint32_t operation) {
  const auto at = static_cast<std::size_t>(stage);
  const StageOrder& order = program_.stages[at].order;
  const Action& action = order.actions[position];
  const bool is_forward = action.kind == ActionKind::forward;
  const std::int64_t virtual_stage = action.chunk * stages() + stage + (is_forward ? 1 : -1);
  if (virtual_stage < 0 || virtual_stage >= stages() * run_.parallel.virtual_stages) return;
  const std::int64_t receiver = virtual_stage % stages();
  const auto to = static_cast<std::size_t>(receiver);
  const Action consumer{action.kind, static_cast<std::int32_t>(virtual_stage / stages()),
                        action.micro_batch};
  const std::size_t consumed_at = positions_[to][position_of(receiver, consumer)];
  const StreamId stream = is_forward ? resources_[at].send_forward : resources_[at].send_backward;
  if (program_.pipeline_overlap) {
    const TaskId id =
        add_task(operation, stage, {&stream, 1}, executed_[at][position].exits, receiver);
    depend(executed_[to][consumed_at].entries, id);
    return;
  }
  const std::size_t sender_group = position_groups_[at][position];
  const std::size_t receiver_group = position_groups_[to][consumed_at];
  const bool sender_done = sender_group + 1 == order.groups.size();
  const std::size_t next_of_sender =
      sender_done ? order.actions.size() : order.groups[sender_group + 1];
  std::vector<TaskId> after = executed_[at][next_of_sender - 1].exits;
  const std::size_t group_start = program_.stages[to].order.groups[receiver_group];
  if (group_start > 0) {
    const std::vector<TaskId>& ready = executed_[to][group_start - 1].exits;
    after.insert(after.end(), ready.begin(), ready.end());
  }
  const TaskId id = add_task(operation, stage, {&stream, 1}, std::move(after), receiver);
  depend(executed_[to][group_start].entries, id);
  if (!sender_done) depend(executed_[at][next_of_sender].entries, id);
}

void StepSimulator::add_transfers(std::int64_t stage) {
  const auto at = static_cast<std::size_t>(stage);
  const auto ranks_of = [&](std::int64_t of) {
    std::vector<std::uint32_t> ranks;
    RankCoordinates where;
    where.pipeline = of;
    for (where.data = 0; where.data < run_.parallel.data; ++where.data)
      for (where.context = 0; where.context < run_.parallel.context; ++where.context)
        for (where.tensor = 0; where.tensor < run_.parallel.tensor; ++where.tensor)
          ranks.push_back(rank_of(run_.parallel, where));
    return ranks;
  };
  const auto transfer = [&](const char* name, std::int64_t to) {
    return record_collective(name, Track::pipeline, CollectiveOp::send_recv, program_.boundary_size,
                             Engines::multiprocessors,
                             place_pairs(run_.cluster, ranks_of(stage), ranks_of(to)));
  };
  const std::uint32_t forward = transfer("send forward", (stage + 1) % stages());
  const std::uint32_t backward = transfer("send backward", (stage + stages() - 1) % stages());
  const std::vector<Action>& actions = program_.stages[at].order.actions;
  for (std::size_t position = 0; position < actions.size(); ++position)
    add_transfer(stage, position,
                 actions[position].kind == ActionKind::forward ? forward : backward);
}

// Gradient reduction, tied embedding, the gradient norm that every rank waits for, optimizer.
void StepSimulator::add_step_end() {
  std::vector<std::vector<TaskId>> done;
  for (std::int64_t stage = 0; stage < stages(); ++stage) {
    const auto at = static_cast<std::size_t>(stage);
    const CostedBlock reduce = cost(program_.stages[at].reduce, stage);
    std::vector<TaskId> exits = add_block(reduce, stage, executed_[at].back().exits).exits;
    if (last_data_[at]) exits.push_back(*last_data_[at]);
    done.push_back(std::move(exits));
  }
  if (program_.tied_embedding_size.value() > 0.0) {
    const std::uint32_t operation = record_collective(
        "tied embedding all-reduce", Track::embedding, CollectiveOp::all_reduce,
        program_.tied_embedding_size, Engines::multiprocessors,
        place_groups(run_.cluster, rank_groups(run_.parallel, GroupKind::embedding)));
    const std::array<StreamId, 2> streams{
        resources_.front().lanes[static_cast<std::size_t>(Lane::data)],
        resources_.back().lanes[static_cast<std::size_t>(Lane::data)]};
    std::vector<TaskId> after = done.front();
    after.insert(after.end(), done.back().begin(), done.back().end());
    const TaskId id = add_task(operation, 0, streams, std::move(after), stages() - 1);
    done.front().push_back(id);
    done.back().push_back(id);
  }
  std::vector<TaskId> all;
  for (const std::vector<TaskId>& exits : done) all.insert(all.end(), exits.begin(), exits.end());
  if (run_.parallel.tensor * stages() > 1) {
    const std::uint32_t operation =
        record_collective("gradient norm all-reduce", Track::model, CollectiveOp::all_reduce,
                          Bytes{4}, Engines::multiprocessors,
                          place_groups(run_.cluster, rank_groups(run_.parallel, GroupKind::model)));
    const StreamId stream = resources_.front().lanes[static_cast<std::size_t>(Lane::tensor)];
    all = {add_task(operation, 0, {&stream, 1}, all)};
  }
  for (std::int64_t stage = 0; stage < stages(); ++stage)
    add_block(cost(program_.stages[static_cast<std::size_t>(stage)].update, stage), stage, all);
}

void StepSimulator::collect(StepSimulation& simulation) {
  const auto end_of = [&](const Executed& executed) {
    SimTime end;
    for (const TaskId exit : executed.exits)
      end = std::max(end, simulation.report.tasks[exit.index].end);
    return end;
  };
  for (std::int64_t stage = 0; stage < stages(); ++stage) {
    const auto at = static_cast<std::size_t>(stage);
    const std::vector<Action>& actions = program_.stages[at].order.actions;
    for (std::size_t position = 0; position < actions.size(); ++position) {
      const Executed& executed = executed_[at][position];
      simulation.actions[at].push_back({actions[position],
                                        simulation.report.tasks[executed.first.index].start,
                                        end_of(executed)});
    }
  }
}

StepSimulation StepSimulator::simulate() {
  const auto count = static_cast<std::size_t>(stages());
  result_.compute_tasks.resize(count);
  result_.actions.resize(count);
  executed_.resize(count);
  position_groups_.resize(count);
  positions_.resize(count);
  gathers_.resize(count);
  last_data_.resize(count);
  add_stage_resources();
  for (std::int64_t stage = 0; stage < stages(); ++stage) add_actions(stage);
  if (stages() > 1)
    for (std::int64_t stage = 0; stage < stages(); ++stage) add_transfers(stage);
  add_step_end();
  result_.report = engine_.run();
  result_.after_begin.push_back(static_cast<std::uint32_t>(result_.after.size()));
  std::sort(result_.later_after.begin(), result_.later_after.end());
  collect(result_);
  return std::move(result_);
}

}  // namespace

std::vector<TaskId> StepSimulation::predecessors(TaskId task) const {
  std::vector<TaskId> found;
  for (std::uint32_t i = after_begin[task.index]; i < after_begin[task.index + 1]; ++i)
    found.push_back(TaskId{after[i]});
  auto later = std::lower_bound(later_after.begin(), later_after.end(), std::pair{task, TaskId{0}});
  for (; later != later_after.end() && later->first == task; ++later)
    found.push_back(later->second);
  return found;
}

StepSimulation simulate_step(const Run& run, const StepProgram& program, const Profile& profile,
                             const CostModel& costs) {
  return StepSimulator(run, program, profile, costs).simulate();
}

}  // namespace stepcast

#include "sim/predict/step_simulation.hpp"

#include <algorithm>

#include "sim/predict/step_simulator.hpp"

namespace stepcast {
namespace detail {
namespace {

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

CostDoubt doubt_of(const CostedOperation& cost) {
  CostDoubt doubt;
  for (std::size_t kind = 0; kind < cost.parts.sigma_seconds.size(); ++kind)
    doubt.sigma_seconds[kind] = cost.parts.sigma_seconds[kind];
  for (std::size_t basis = 0; basis < doubt.by_basis.size(); ++basis)
    doubt.by_basis[basis] = cost.parts.by_basis[basis].value();
  const double time = cost.collective.time().value();
  doubt.sigma_seconds.back() = time * cost.collective.relative_sigma;
  doubt.by_basis[static_cast<std::size_t>(cost.collective.basis)] += time;
  return doubt;
}

}  // namespace

void StepSimulator::add_stage(std::int64_t stage) {
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
  result_.compute_tasks.emplace_back();
  gathers_.emplace_back();
  last_data_.emplace_back();
}

const Placement& StepSimulator::placement(GroupKind kind, std::int64_t stage) {
  if (alike_) stage = 0;
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
  record.doubt = doubt_of(record.cost);
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
  record.doubt = doubt_of(record.cost);
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
  const std::vector<CostedChunk> chunks = cost_chunks(stage);
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
    positions_[at][index_of(action)] = position;
  }
}

// Index of an action in positions_[stage].
std::size_t StepSimulator::index_of(const Action& action) const {
  const auto m = static_cast<std::size_t>(run_.micro_batches());
  return (static_cast<std::size_t>(action.chunk) * m +
          static_cast<std::size_t>(action.micro_batch)) *
             2 +
         (action.kind == ActionKind::forward ? 0 : 1);
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
  result_.actions.resize(count);
  executed_.resize(count);
  position_groups_.resize(count);
  positions_.resize(count);
  for (std::int64_t stage = 0; stage < stages(); ++stage) add_stage(stage);
  for (std::int64_t stage = 0; stage < stages(); ++stage) add_actions(stage);
  if (stages() > 1)
    for (std::int64_t stage = 0; stage < stages(); ++stage) add_transfers(stage);
  add_step_end();
  run_engine();
  collect(result_);
  return std::move(result_);
}

void StepSimulator::run_engine() {
  result_.report = engine_.run();
  result_.after_begin.push_back(static_cast<std::uint32_t>(result_.after.size()));
  std::sort(result_.later_after.begin(), result_.later_after.end());
}

}  // namespace detail

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
                             const CostModel& costs, SimulationDetail detail) {
  return detail::StepSimulator(run, program, profile, costs, detail).simulate();
}

}  // namespace stepcast

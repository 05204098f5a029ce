// What stages exchange: boundary tensors while the pipeline runs, and the end of the step.

#include <algorithm>
#include <numeric>

#include "sim/predict/step_simulator.hpp"

namespace stepcast::detail {

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
  const std::size_t consumed_at = positions_[to][index_of(consumer)];
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
    if (!alike_ || !boundary_) boundary_ = place_pairs(run_.cluster, ranks_of(stage), ranks_of(to));
    return record_collective(name, Track::pipeline, CollectiveOp::send_recv, program_.boundary_size,
                             Engines::multiprocessors, *boundary_);
  };
  const std::uint32_t forward = transfer("send forward", (stage + 1) % stages());
  const std::uint32_t backward = transfer("send backward", (stage + stages() - 1) % stages());
  const std::vector<Action>& actions = program_.stages[at].order.actions;
  for (std::size_t position = 0; position < actions.size(); ++position)
    add_transfer(stage, position,
                 actions[position].kind == ActionKind::forward ? forward : backward);
}

// Who adds up the gradient norm: the ranks of one model replica, and with a sharded optimizer all
// ranks (SEMANTICS 5.1; Megatron-LM core/optimizer/clip_grads.py).
std::vector<std::vector<std::uint32_t>> StepSimulator::norm_groups() const {
  if (run_.parallel.sharding == Sharding::none) return rank_groups(run_.parallel, GroupKind::model);
  std::vector<std::uint32_t> everyone(static_cast<std::size_t>(run_.gpus()));
  std::iota(everyone.begin(), everyone.end(), 0U);
  return {everyone};
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
  if (const auto groups = norm_groups(); groups.front().size() > 1) {
    const std::uint32_t operation =
        record_collective("gradient norm all-reduce", Track::model, CollectiveOp::all_reduce,
                          Bytes{4}, Engines::multiprocessors, place_groups(run_.cluster, groups));
    const StreamId stream = resources_.front().lanes[static_cast<std::size_t>(Lane::tensor)];
    all = {add_task(operation, 0, {&stream, 1}, all)};
  }
  for (std::int64_t stage = 0; stage < stages(); ++stage)
    add_block(cost(program_.stages[static_cast<std::size_t>(stage)].update, stage), stage, all);
}

}  // namespace stepcast::detail

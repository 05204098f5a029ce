#include "sim/predict/breakdown.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace stepcast {
namespace {

std::string_view group_name(Track track) {
  switch (track) {
    case Track::compute: return "compute";
    case Track::tensor: return "tensor";
    case Track::context: return "context";
    case Track::data: return "data";
    case Track::host: return "host";
    case Track::pipeline: return "pipeline";
    case Track::embedding: return "embedding";
    case Track::model: return "model";
  }
  return "";
}

Seconds& exposed_part(StageBreakdown& stage, Track track) {
  switch (track) {
    case Track::tensor: return stage.exposed_tensor;
    case Track::context: return stage.exposed_context;
    case Track::data: return stage.exposed_data;
    case Track::pipeline: return stage.exposed_pipeline;
    case Track::host: return stage.host;
    case Track::compute: return stage.bubble;
    case Track::embedding:
    case Track::model: break;
  }
  return stage.exposed_other;
}

Seconds between(SimTime from, SimTime to) { return to_seconds(SimTime{to.ps - from.ps}); }

// Attributes the time of one stage.
class StageAccount {
 public:
  StageAccount(const StepSimulation& simulation, std::int64_t stage)
      : simulation_(simulation), stage_(stage), exposed_(simulation.operations.size()) {
    account_.stage = stage;
  }

  // `last`: the stage's task that ends last.
  StageBreakdown close(std::optional<TaskId> last);
  [[nodiscard]] const std::vector<Seconds>& exposed_by_operation() const { return exposed_; }
  // Communication inside folded actions.
  [[nodiscard]] const std::map<CommunicationKey, CommunicationTotal>& folded() const {
    return folded_;
  }

 private:
  [[nodiscard]] const OperationRecord& operation_of(TaskId task) const {
    return simulation_.operations[simulation_.tasks[task.index].operation];
  }
  [[nodiscard]] const Interval& interval_of(TaskId task) const {
    return simulation_.report.tasks[task.index];
  }
  void add_compute(TaskId task);
  void add_folded(const FoldedAction& action, double stretch);
  void add_gap(SimTime from, SimTime to, TaskId next);
  void expose(TaskId waited_for, Seconds time);
  [[nodiscard]] std::optional<TaskId> latest(const std::vector<TaskId>& tasks) const;

  const StepSimulation& simulation_;
  std::int64_t stage_;
  StageBreakdown account_;
  std::vector<Seconds> exposed_;
  std::map<CommunicationKey, CommunicationTotal> folded_;
};

void StageAccount::add_compute(TaskId task) {
  const Interval& interval = interval_of(task);
  const Seconds took = between(interval.start, interval.end);
  const OperationRecord& operation = operation_of(task);
  const ComputeParts& parts = operation.cost.parts;
  const double alone = (operation.cost.latency + operation.cost.duration).value();
  if (alone <= 0.0) return;
  const double stretch = took.value() / alone;
  if (operation.folded) {
    add_folded(*operation.folded, stretch);
    return;
  }
  const auto part = [&](CostKind kind) {
    return parts.seconds[static_cast<std::size_t>(kind)] * stretch;
  };
  if (operation.recompute) {
    account_.recompute += took - parts.host * stretch;
  } else {
    account_.gemm += part(CostKind::gemm);
    account_.attention += part(CostKind::attention);
    account_.memory_bound += part(CostKind::memory_bound);
    account_.optimizer += part(CostKind::optimizer);
  }
  account_.host += parts.host * stretch;
}

void StageAccount::add_folded(const FoldedAction& action, double stretch) {
  static constexpr std::array parts{&StageBreakdown::gemm,
                                    &StageBreakdown::attention,
                                    &StageBreakdown::memory_bound,
                                    &StageBreakdown::exposed_tensor,
                                    &StageBreakdown::exposed_context,
                                    &StageBreakdown::exposed_other,
                                    &StageBreakdown::bubble,
                                    &StageBreakdown::recompute,
                                    &StageBreakdown::host};
  for (const auto part : parts) account_.*part += action.parts.*part * stretch;
  for (const auto& [key, inside] : action.communication) {
    CommunicationTotal& total = folded_[key];
    total.ranks = inside.ranks;
    total.tier = inside.tier;
    total.bytes_per_rank += inside.bytes_per_rank;
    total.calls += inside.calls;
    total.time += inside.time * stretch;
    total.exposed += inside.exposed * stretch;
  }
}

void StageAccount::expose(TaskId waited_for, Seconds time) {
  exposed_part(account_, operation_of(waited_for).track) += time;
  exposed_[simulation_.tasks[waited_for.index].operation] += time;
}

std::optional<TaskId> StageAccount::latest(const std::vector<TaskId>& tasks) const {
  std::optional<TaskId> found;
  for (const TaskId task : tasks)
    if (!found || interval_of(task).end > interval_of(*found).end) found = task;
  return found;
}

void StageAccount::add_gap(SimTime from, SimTime to, TaskId next) {
  SimTime cursor = to;
  TaskId task = next;
  while (cursor > from) {
    const std::optional<TaskId> cause = latest(simulation_.predecessors(task));
    if (!cause || interval_of(*cause).end <= from) break;
    const TaskRecord& record = simulation_.tasks[cause->index];
    const Track track = operation_of(*cause).track;
    // The last stage shares the tied-embedding all-reduce and the norm, which stage 0 records.
    const bool shared =
        track == Track::embedding || track == Track::model || track == Track::pipeline;
    if (track == Track::compute || (record.stage != stage_ && !shared)) break;
    const SimTime began = std::max(interval_of(*cause).start, from);
    const SimTime ended = std::min(interval_of(*cause).end, cursor);
    if (began < ended) expose(*cause, between(began, ended));
    account_.bubble += between(ended, cursor);
    cursor = began;
    task = *cause;
  }
  account_.bubble += between(from, cursor);
}

StageBreakdown StageAccount::close(std::optional<TaskId> last) {
  SimTime cursor;
  for (const TaskId task : simulation_.compute_tasks[static_cast<std::size_t>(stage_)]) {
    const Interval& interval = interval_of(task);
    if (interval.start > cursor) add_gap(cursor, interval.start, task);
    add_compute(task);
    cursor = interval.end;
  }
  if (last && interval_of(*last).end > cursor && operation_of(*last).track != Track::compute) {
    const SimTime began = std::max(interval_of(*last).start, cursor);
    add_gap(cursor, began, *last);
    expose(*last, between(began, interval_of(*last).end));
    cursor = interval_of(*last).end;
  }
  account_.bubble += between(cursor, simulation_.report.end);
  account_.total = to_seconds(simulation_.report.end);
  return account_;
}

// Adds up one stage's communication by operation.
std::map<CommunicationKey, CommunicationTotal> communication_of(const StepSimulation& simulation,
                                                                const std::vector<TaskId>& tasks,
                                                                const StageAccount& account) {
  const std::vector<Seconds>& exposed = account.exposed_by_operation();
  std::map<CommunicationKey, CommunicationTotal> totals = account.folded();
  std::map<CommunicationKey, LinkTier> tiers;
  std::vector<bool> counted(simulation.operations.size());
  for (const TaskId task : tasks) {
    const std::uint32_t index = simulation.tasks[task.index].operation;
    const OperationRecord& record = simulation.operations[index];
    const CollectiveEstimate& estimate = record.cost.collective;
    const CommunicationKey key{record.track, record.op, estimate.algorithm, estimate.protocol,
                               record.ranks};
    CommunicationTotal& total = totals[key];
    const Interval& interval = simulation.report.tasks[task.index];
    total.ranks = record.ranks;
    total.bytes_per_rank += estimate.wire_bytes;
    total.calls += 1;
    total.time += between(interval.start, interval.end);
    if (!counted[index]) total.exposed += exposed[index];
    counted[index] = true;
    tiers[key] = std::max(tiers[key], record.slowest_tier);
  }
  for (auto& [key, total] : totals) {
    total.group = group_name(std::get<Track>(key));
    total.op = name_of(std::get<CollectiveOp>(key));
    total.algorithm = name_of(std::get<Algorithm>(key));
    total.protocol = name_of(std::get<Protocol>(key));
    if (const auto tier = tiers.find(key); tier != tiers.end()) total.tier = name_of(tier->second);
    if (total.time.value() > 0.0) total.busbw = total.bytes_per_rank / total.time;
  }
  return totals;
}

bool communicates(Track track) { return track != Track::compute && track != Track::host; }

bool inside_actions(Track track) {
  return !communicates(track) || track == Track::tensor || track == Track::context;
}

}  // namespace

Breakdown break_down(const StepSimulation& simulation) {
  const std::size_t stages = simulation.compute_tasks.size();
  std::vector<std::vector<TaskId>> communication(stages);
  std::vector<std::optional<TaskId>> last(stages);
  for (std::uint32_t i = 0; i < simulation.tasks.size(); ++i) {
    const TaskRecord& record = simulation.tasks[i];
    std::optional<TaskId>& newest = last[static_cast<std::size_t>(record.stage)];
    if (!newest || simulation.report.tasks[i].end > simulation.report.tasks[newest->index].end)
      newest = TaskId{i};
    if (communicates(simulation.operations[record.operation].track))
      communication[static_cast<std::size_t>(record.stage)].push_back(TaskId{i});
  }
  Breakdown result;
  for (std::size_t stage = 0; stage < stages; ++stage) {
    StageAccount account(simulation, static_cast<std::int64_t>(stage));
    result.stages.push_back(account.close(last[stage]));
    for (const auto& [key, total] : communication_of(simulation, communication[stage], account)) {
      CommunicationTotal& largest = result.communication[key];
      if (largest.calls == 0 || total.time > largest.time) largest = total;
    }
  }
  return result;
}

std::vector<Span> make_trace(const StepSimulation& simulation, KeepTrace keep) {
  std::vector<Span> spans;
  if (keep == KeepTrace::no) return spans;
  for (std::uint32_t i = 0; i < simulation.tasks.size(); ++i) {
    const TaskRecord& record = simulation.tasks[i];
    const OperationRecord& operation = simulation.operations[record.operation];
    const bool optimizer =
        operation.cost.parts.seconds[static_cast<std::size_t>(CostKind::optimizer)].value() > 0.0;
    if (keep == KeepTrace::outline && !optimizer && inside_actions(operation.track)) continue;
    const Interval& interval = simulation.report.tasks[i];
    std::string category = communicates(operation.track) ? "communication"
                           : optimizer                   ? "optimizer"
                           : operation.recompute         ? "recompute"
                                                         : std::string(group_name(operation.track));
    spans.push_back({record.stage, std::string(group_name(operation.track)), operation.name,
                     std::move(category), interval.start, interval.end});
  }
  return spans;
}

}  // namespace stepcast

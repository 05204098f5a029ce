#include "sim/plan/pipeline_replay.hpp"

#include <algorithm>

#include "common/errors.hpp"

namespace stepcast {
namespace {

constexpr double not_yet = -1.0, taken_already = -2.0;

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

}  // namespace

std::size_t PipelineReplay::slot(std::int64_t stage, const Action& action) const {
  const std::int64_t chunk = stage * times_->virtual_stages + action.chunk;
  return at((chunk * times_->micro_batches + action.micro_batch) * 2 +
            (action.kind == ActionKind::forward ? 0 : 1));
}

// The stage that comes `step` virtual stages after the action's in its direction, or -1.
std::int64_t PipelineReplay::neighbour(std::int64_t stage, const Action& action, int step,
                                       std::int32_t& chunk) const {
  const std::int64_t p = times_->stages;
  const std::int64_t forwards = action.kind == ActionKind::forward ? step : -step;
  const std::int64_t virtual_stage = action.chunk * p + stage + forwards;
  if (virtual_stage < 0 || virtual_stage >= p * times_->virtual_stages) return -1;
  chunk = static_cast<std::int32_t>(virtual_stage / p);
  return virtual_stage % p;
}

double PipelineReplay::transfer_time(std::int64_t from, std::int64_t to) const {
  const std::int64_t p = times_->stages;
  return times_->transfer[at((from + 1) % p == to ? from : to)];
}

// Whether everything that the group needs has arrived; without overlap the sender may go on once
// both sides have come to the exchange.
bool PipelineReplay::take_inputs(std::int64_t stage, std::size_t begin, std::size_t end) {
  Stage& here = stages_[at(stage)];
  const std::vector<Action>& actions = (*orders_)[at(stage)].actions;
  bool complete = true;
  for (std::size_t i = begin; i < end; ++i) {
    std::int32_t chunk = 0;
    const std::int64_t sender = neighbour(stage, actions[i], -1, chunk);
    if (sender < 0) continue;
    double& produced = produced_[slot(stage, actions[i])];
    if (produced == taken_already) continue;
    if (produced == not_yet) {
      complete = false;
      continue;
    }
    if (times_->overlap) {
      here.arrived = std::max(here.arrived, produced);
    } else {
      const double ended = std::max(produced, here.clock) + transfer_time(sender, stage);
      here.arrived = std::max(here.arrived, ended);
      Stage& from = stages_[at(sender)];
      from.taken = std::max(from.taken, ended);
      if (--from.waiting_for == 0) todo_.push_back(sender);
    }
    produced = taken_already;
  }
  return complete;
}

void PipelineReplay::finish(std::int64_t stage, const Action& action, double ended) {
  if (action.kind == ActionKind::backward)
    ends_.chunk[at(stage * times_->virtual_stages + action.chunk)] = ended;
  Action consumer = action;
  const std::int64_t receiver = neighbour(stage, action, 1, consumer.chunk);
  if (receiver < 0) return;
  Stage& here = stages_[at(stage)];
  double available = ended;
  if (times_->overlap) {
    if (receiver != stage) {
      double& stream = here.sending[action.kind == ActionKind::forward ? 0 : 1];
      stream = std::max(stream, ended) + transfer_time(stage, receiver);
      available = stream;
    }
  } else {
    ++here.waiting_for;
  }
  produced_[slot(receiver, consumer)] = available;
  todo_.push_back(receiver);
}

void PipelineReplay::run_stage(std::int64_t stage) {
  Stage& here = stages_[at(stage)];
  const StageOrder& order = (*orders_)[at(stage)];
  // Overlapped transfers concern single actions, others whole groups.
  const std::size_t groups = times_->overlap ? order.actions.size() : order.groups.size();
  const auto first_of = [&](std::size_t group) {
    if (times_->overlap) return group;
    return group < order.groups.size() ? order.groups[group] : order.actions.size();
  };
  while (here.group < groups) {
    const std::size_t begin = first_of(here.group), end = first_of(here.group + 1);
    if (!take_inputs(stage, begin, end) || here.waiting_for > 0) return;
    double now = std::max({here.clock, here.arrived, here.taken});
    for (std::size_t i = begin; i < end; ++i) {
      const Action& action = order.actions[i];
      const std::size_t chunk = at(stage * times_->virtual_stages + action.chunk);
      if (action.kind == ActionKind::forward) {
        if (action.micro_batch == 0) now = std::max(now, times_->ready[chunk]);
        now += times_->forward[chunk];
      } else {
        now += times_->backward[chunk];
      }
      if (times_->overlap) finish(stage, action, now);
    }
    here.clock = now;
    here.arrived = here.taken = 0.0;
    ++here.group;
    if (!times_->overlap)
      for (std::size_t i = begin; i < end; ++i) finish(stage, order.actions[i], now);
  }
}

const PipelineEnds& PipelineReplay::play(const PipelineTimes& times,
                                         const std::vector<StageOrder>& orders) {
  times_ = &times;
  orders_ = &orders;
  const std::size_t chunks = at(times.stages * times.virtual_stages);
  stages_.assign(at(times.stages), {});
  produced_.assign(chunks * at(times.micro_batches) * 2, not_yet);
  ends_.chunk.assign(chunks, 0.0);
  todo_.clear();
  for (std::int64_t stage = times.stages; stage-- > 0;) todo_.push_back(stage);
  while (!todo_.empty()) {
    const std::int64_t stage = todo_.back();
    todo_.pop_back();
    run_stage(stage);
  }
  ends_.stage.clear();
  for (std::int64_t stage = 0; stage < times.stages; ++stage) {
    const StageOrder& order = orders[at(stage)];
    STEPCAST_CHECK(stages_[at(stage)].group ==
                   (times.overlap ? order.actions.size() : order.groups.size()));
    ends_.stage.push_back(std::max(stages_[at(stage)].clock, stages_[at(stage)].taken));
  }
  return ends_;
}

}  // namespace stepcast

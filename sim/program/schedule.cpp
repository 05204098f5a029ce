#include "sim/program/schedule.hpp"

#include <algorithm>

#include "common/errors.hpp"

namespace stepcast {
namespace {

Action forward(std::int64_t chunk, std::int64_t micro_batch) {
  return {ActionKind::forward, static_cast<std::int32_t>(chunk),
          static_cast<std::int32_t>(micro_batch)};
}
Action backward(std::int64_t chunk, std::int64_t micro_batch) {
  return {ActionKind::backward, static_cast<std::int32_t>(chunk),
          static_cast<std::int32_t>(micro_batch)};
}

class OrderBuilder {
 public:
  void alone(Action action) {
    order_.groups.push_back(order_.actions.size());
    order_.actions.push_back(action);
  }
  void pair(Action first, Action second) {
    alone(first);
    order_.actions.push_back(second);
  }
  StageOrder take() { return std::move(order_); }

 private:
  StageOrder order_;
};

StageOrder gpipe(const ScheduleShape& shape) {
  OrderBuilder order;
  for (std::int64_t i = 0; i < shape.micro_batches; ++i) order.alone(forward(0, i));
  for (std::int64_t i = 0; i < shape.micro_batches; ++i) order.alone(backward(0, i));
  return order.take();
}

StageOrder one_f_one_b(const ScheduleShape& shape, std::int64_t rank) {
  const std::int64_t m = shape.micro_batches;
  const std::int64_t warm_up = std::min(shape.stages - rank - 1, m);
  OrderBuilder order;
  for (std::int64_t i = 0; i < warm_up; ++i) order.alone(forward(0, i));
  for (std::int64_t i = warm_up; i < m; ++i) {
    order.alone(forward(0, i));
    order.alone(backward(0, i - warm_up));
  }
  for (std::int64_t i = m - warm_up; i < m; ++i) order.alone(backward(0, i));
  return order.take();
}

struct ChunkTurn {
  std::int64_t chunk, micro_batch;
};

// Megatron's table: for each group of micro-batches, every chunk in turn takes the whole group.
std::vector<ChunkTurn> interleaved_turns(const ScheduleShape& shape, std::int64_t group) {
  std::vector<ChunkTurn> turns;
  for (std::int64_t begin = 0; begin < shape.micro_batches; begin += group)
    for (std::int64_t chunk = 0; chunk < shape.virtual_stages; ++chunk)
      for (std::int64_t i = begin; i < std::min(begin + group, shape.micro_batches); ++i)
        turns.push_back({chunk, i});
  return turns;
}

StageOrder interleaved(const ScheduleShape& shape, std::int64_t rank) {
  const std::int64_t v = shape.virtual_stages;
  const std::int64_t group = shape.microbatch_group > 0 ? shape.microbatch_group : shape.stages;
  const std::vector<ChunkTurn> turns = interleaved_turns(shape, group);
  const auto total = static_cast<std::int64_t>(turns.size());
  const std::int64_t warm_up = std::min(2 * (shape.stages - rank - 1) + (v - 1) * group, total);
  const auto turn = [&](std::int64_t k) { return turns[static_cast<std::size_t>(k)]; };
  const auto f = [&](std::int64_t k) { return forward(turn(k).chunk, turn(k).micro_batch); };
  const auto b = [&](std::int64_t k) {
    return backward(v - 1 - turn(k).chunk, turn(k).micro_batch);
  };
  OrderBuilder order;
  for (std::int64_t k = 0; k < warm_up; ++k) order.alone(f(k));
  for (std::int64_t k = warm_up; k < total; ++k) order.pair(f(k), b(k - warm_up));
  for (std::int64_t k = total - warm_up; k < total; ++k) order.alone(b(k));
  return order.take();
}

}  // namespace

std::vector<StageOrder> make_schedule(const ScheduleShape& shape) {
  std::vector<StageOrder> orders;
  for (std::int64_t rank = 0; rank < shape.stages; ++rank) {
    switch (shape.kind) {
      case ScheduleKind::gpipe: orders.push_back(gpipe(shape)); break;
      case ScheduleKind::one_f_one_b: orders.push_back(one_f_one_b(shape, rank)); break;
      case ScheduleKind::interleaved: orders.push_back(interleaved(shape, rank)); break;
      default: STEPCAST_CHECK(false && "schedule outside the simulated scope");
    }
  }
  return orders;
}

std::int64_t peak_in_flight(const StageOrder& order) {
  std::int64_t alive = 0, peak = 0;
  for (const Action& action : order.actions) {
    alive += action.kind == ActionKind::forward ? 1 : -1;
    peak = std::max(peak, alive);
  }
  return peak;
}

}  // namespace stepcast

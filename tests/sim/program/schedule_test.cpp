#include "sim/program/schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>

namespace stepcast {
namespace {

std::string spell(const StageOrder& order, bool with_chunks) {
  std::string text;
  for (const Action& action : order.actions) {
    if (!text.empty()) text += ' ';
    text += action.kind == ActionKind::forward ? 'F' : 'B';
    text += std::to_string(action.micro_batch);
    if (with_chunks) text += '.' + std::to_string(action.chunk);
  }
  return text;
}

std::vector<std::int64_t> in_flight(const ScheduleShape& shape) {
  std::vector<std::int64_t> peaks;
  for (const StageOrder& order : make_schedule(shape)) peaks.push_back(peak_in_flight(order));
  return peaks;
}

// Orders from SEMANTICS vector pp/order_strings (Megatron-LM schedules.py), 4 ranks and 8
// micro-batches.
TEST(Schedule, OneForwardOneBackwardIsMegatronsOrder) {
  const auto orders = make_schedule({ScheduleKind::one_f_one_b, 4, 1, 8, 0});
  EXPECT_EQ(spell(orders[0], false), "F0 F1 F2 F3 B0 F4 B1 F5 B2 F6 B3 F7 B4 B5 B6 B7");
  EXPECT_EQ(spell(orders[3], false), "F0 B0 F1 B1 F2 B2 F3 B3 F4 B4 F5 B5 F6 B6 F7 B7");
}

TEST(Schedule, InterleavedIsMegatronsOrder) {
  const auto orders = make_schedule({ScheduleKind::interleaved, 4, 2, 8, 0});
  EXPECT_EQ(
      spell(orders[0], true),
      "F0.0 F1.0 F2.0 F3.0 F0.1 F1.1 F2.1 F3.1 F4.0 F5.0 F6.0 B0.1 F7.0 B1.1 F4.1 B2.1 F5.1 B3.1 "
      "F6.1 B0.0 F7.1 B1.0 B2.0 B3.0 B4.1 B5.1 B6.1 B7.1 B4.0 B5.0 B6.0 B7.0");
  // The published string of rank 3 has F before B in each pair after the warm-up of four.
  EXPECT_EQ(spell(orders[3], true).substr(0, 49),
            "F0.0 F1.0 F2.0 F3.0 F0.1 B0.1 F1.1 B1.1 F2.1 B2.1");
}

TEST(Schedule, GpipeRunsAllForwardsFirst) {
  EXPECT_EQ(spell(make_schedule({ScheduleKind::gpipe, 2, 1, 3, 0})[1], false), "F0 F1 F2 B0 B1 B2");
}

TEST(Schedule, HoldsAsManyMicroBatchesAsTheClosedForms) {
  using Counts = std::vector<std::int64_t>;
  EXPECT_EQ(in_flight({ScheduleKind::gpipe, 4, 1, 8, 0}), (Counts{8, 8, 8, 8}));
  EXPECT_EQ(in_flight({ScheduleKind::one_f_one_b, 4, 1, 8, 0}), (Counts{4, 3, 2, 1}));
  // 2(p - r - 1) + (v - 1) p + 1 chunks.
  EXPECT_EQ(in_flight({ScheduleKind::interleaved, 4, 2, 8, 0}), (Counts{11, 9, 7, 5}));
  EXPECT_EQ(in_flight({ScheduleKind::interleaved, 4, 4, 8, 0}), (Counts{19, 17, 15, 13}));
  EXPECT_EQ(in_flight({ScheduleKind::interleaved, 4, 2, 10, 5}), (Counts{12, 10, 8, 6}));
  // Fewer micro-batches than ranks: the warm-up is cut short.
  EXPECT_EQ(in_flight({ScheduleKind::one_f_one_b, 4, 1, 2, 0}), (Counts{2, 2, 2, 1}));
}

TEST(Schedule, RunsEveryForwardAndBackwardOnceAndInOrder) {
  for (const ScheduleKind kind :
       {ScheduleKind::gpipe, ScheduleKind::one_f_one_b, ScheduleKind::interleaved})
    for (const std::int64_t stages : {1, 2, 3, 8})
      for (const std::int64_t m : {8, 16}) {
        const std::int64_t v = kind == ScheduleKind::interleaved ? 3 : 1;
        for (const StageOrder& order : make_schedule({kind, stages, v, m, 0})) {
          std::set<std::pair<std::int32_t, std::int32_t>> forwards, backwards;
          for (const Action& action : order.actions) {
            const std::pair key{action.chunk, action.micro_batch};
            if (action.kind == ActionKind::forward) {
              EXPECT_TRUE(forwards.insert(key).second);
            } else {
              EXPECT_TRUE(forwards.contains(key)) << "backward before forward";
              EXPECT_TRUE(backwards.insert(key).second);
            }
          }
          EXPECT_EQ(forwards.size(), static_cast<std::size_t>(m * v));
          EXPECT_EQ(backwards.size(), forwards.size());
        }
      }
}

TEST(Schedule, InterleavedSteadyStateExchangesOncePerPair) {
  const StageOrder order = make_schedule({ScheduleKind::interleaved, 2, 2, 4, 0})[1];
  // Warm-up of (v - 1) p = 2 single forwards, then six pairs, then two single backwards.
  EXPECT_EQ(order.groups, (std::vector<std::size_t>{0, 1, 2, 4, 6, 8, 10, 12, 14, 15}));
}

}  // namespace
}  // namespace stepcast

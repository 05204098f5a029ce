#include "sim/predict/step_simulation.hpp"

#include <gtest/gtest.h>

#include "tests/sim/predict/pipeline_fixtures.hpp"

namespace stepcast {
namespace {

using test::latency_slack;
using test::makespan;
using test::Shape;
using test::simulate;

// Closed forms of SEMANTICS 4.2 by execution (vectors pp/p4_m8, p8_m32, p16_m64, p4_m4, p8_m8): m
// (F + B) and the bubble (p - 1)(F + B), a v-th of it when interleaved.
TEST(StepSimulation, PipelinesTakeTheClosedFormsTime) {
  const std::vector<std::pair<std::int64_t, std::int64_t>> cases{
      {4, 8}, {8, 32}, {16, 64}, {4, 4}, {8, 8}};
  for (const auto& [p, m] : cases) {
    const auto ideal = 3.0 * static_cast<double>(m), bubble = 3.0 * static_cast<double>(p - 1);
    EXPECT_NEAR(makespan({.kind = ScheduleKind::gpipe, .stages = p, .micro_batches = m}),
                ideal + bubble, latency_slack);
    EXPECT_NEAR(makespan({.stages = p, .micro_batches = m}), ideal + bubble, latency_slack);
    for (const std::int64_t v : {2, 4})
      EXPECT_NEAR(makespan({.kind = ScheduleKind::interleaved,
                            .stages = p,
                            .micro_batches = m,
                            .virtual_stages = v}),
                  ideal + bubble / static_cast<double>(v), latency_slack);
  }
}

// Vectors pp/interleaved_p4_m10_g5 and pp/interleaved_p4_m12_g4.
TEST(StepSimulation, MicroBatchGroupsOfAnotherSizeTakeTheVectorsTime) {
  const auto grouped = [](std::int64_t m, std::int64_t group) {
    return makespan({.kind = ScheduleKind::interleaved,
                     .micro_batches = m,
                     .virtual_stages = 2,
                     .group = group});
  };
  EXPECT_NEAR(grouped(10, 5), 34.5, latency_slack);
  EXPECT_NEAR(grouped(12, 4), 40.5, latency_slack);
}

// Vector pp/imbalanced_last_stage: the steady state runs at the slowest stage.
TEST(StepSimulation, SlowestStageSetsThePace) {
  EXPECT_NEAR(makespan({.last_stage_factor = 1.25}), 39.0, latency_slack);
}

TEST(StepSimulation, RepeatsToThePicosecond) {
  const Shape shape{.kind = ScheduleKind::interleaved, .virtual_stages = 2, .transfer = 0.3};
  const StepSimulation first = simulate(shape), second = simulate(shape);
  EXPECT_EQ(first.report.tasks, second.report.tasks);
  EXPECT_EQ(first.report.events, second.report.events);
}

TEST(StepSimulation, ActionsOfAStageFollowTheScheduleAndDoNotOverlap) {
  const StepSimulation simulation = simulate({.transfer = 0.2});
  for (const std::vector<TimedAction>& actions : simulation.actions) {
    ASSERT_EQ(actions.size(), 16U);
    for (std::size_t i = 0; i + 1 < actions.size(); ++i)
      EXPECT_LE(actions[i].end, actions[i + 1].start);
  }
}

}  // namespace
}  // namespace stepcast

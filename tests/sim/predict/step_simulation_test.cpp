#include "sim/predict/step_simulation.hpp"

#include <gtest/gtest.h>

#include "tests/sim/program/program_fixtures.hpp"

namespace stepcast {
namespace {

struct Shape {
  ScheduleKind kind = ScheduleKind::one_f_one_b;
  std::int64_t stages = 4, micro_batches = 8, virtual_stages = 1, group = 0;
  double forward = 1.0, backward = 2.0;  // of a whole stage
  double last_stage_factor = 1.0;
  double transfer = 0.0;  // seconds of one boundary tensor
  bool overlap = true;
};

Block one_kernel(double seconds) {
  BlockBuilder block;
  block.compute({"work", MemoryCall{Bytes{seconds}, MemoryKernel::fused}, CostKind::memory_bound});
  return block.take();
}

// A pipeline whose stages take the given times, with nothing at the end of the step.
StepSimulation simulate(const Shape& shape) {
  const std::string kind(name_of(shape.kind));
  const auto run = test::run_with({"parallel.pipeline=" + std::to_string(shape.stages),
                                  "parallel.virtual_stages=" + std::to_string(shape.virtual_stages),
                                  "parallel.schedule=" + kind,
                                  "training.global_batch=" + std::to_string(shape.micro_batches)});
  StepProgram program;
  const std::vector<StageOrder> orders = make_schedule(
      {shape.kind, shape.stages, shape.virtual_stages, shape.micro_batches, shape.group});
  const auto chunks = static_cast<std::size_t>(shape.virtual_stages);
  for (std::int64_t stage = 0; stage < shape.stages; ++stage) {
    const double factor =
        (stage + 1 == shape.stages ? shape.last_stage_factor : 1.0) / static_cast<double>(chunks);
    StageProgram one;
    one.order = orders[static_cast<std::size_t>(stage)];
    const Block forward = one_kernel(shape.forward * factor),
                backward = one_kernel(shape.backward * factor);
    one.chunks.assign(chunks, {forward, forward, backward, backward});
    program.stages.push_back(std::move(one));
  }
  // 100 GB/s over NVLink, beside which computation runs undisturbed; latencies are microseconds.
  program.boundary_size = Bytes{shape.transfer * 100e9};
  program.pipeline_overlap = shape.overlap;
  const test::PlainCosts costs;
  Profile profile = test::plain_profile();
  profile.constants["overlap.compute_slowdown"].value = 0.0;
  profile.constants["overlap.collective_slowdown"].value = 1.0;
  return simulate_step(run, program, profile, costs);
}

double makespan(const Shape& shape) { return to_seconds(simulate(shape).report.end).value(); }

constexpr double latency_slack = 2e-3;  // a few hundred hops of some microseconds

// Closed forms of SEMANTICS 4.2 by execution (vectors pp/p4_m8, p8_m32, p16_m64, p4_m4, p8_m8): m
// (F + B) and the bubble (p - 1)(F + B), a v-th of it when interleaved.
TEST(StepSimulation, PipelinesTakeTheClosedFormsTime) {
  const std::vector<std::pair<std::int64_t, std::int64_t>> cases{{4, 8}, {8, 32}, {4, 4}, {8, 8}};
  for (const auto& [p, m] : cases) {
    const auto ideal = 3.0 * static_cast<double>(m), bubble = 3.0 * static_cast<double>(p - 1);
    EXPECT_NEAR(makespan({.kind = ScheduleKind::gpipe, .stages = p, .micro_batches = m}),
                ideal + bubble, latency_slack);
    EXPECT_NEAR(makespan({.stages = p, .micro_batches = m}), ideal + bubble, latency_slack);
    if (8 % (p * 2) == 0 && m % p == 0) {
      EXPECT_NEAR(makespan({.kind = ScheduleKind::interleaved,
                            .stages = p,
                            .micro_batches = m,
                            .virtual_stages = 2}),
                  ideal + bubble / 2.0, latency_slack);
    }
  }
}

TEST(StepSimulation, BlockingExchangesAddNoBubbleToEqualStages) {
  for (const bool overlap : {false, true})
    EXPECT_NEAR(
        makespan({.kind = ScheduleKind::interleaved, .virtual_stages = 2, .overlap = overlap}),
        28.5, latency_slack)
        << overlap;
  EXPECT_NEAR(makespan({.overlap = false}), 33.0, latency_slack);
}

// Vectors pp/comm_latency_*: transfers that do not occupy the compute stream.
TEST(StepSimulation, TransfersLengthenTheStepAsInTheVectors) {
  EXPECT_NEAR(makespan({.transfer = 0.1}), 34.6, latency_slack);
  EXPECT_NEAR(makespan({.transfer = 0.5}), 41.0, latency_slack);
  EXPECT_NEAR(makespan({.kind = ScheduleKind::interleaved, .virtual_stages = 2, .transfer = 0.1}),
              29.9, latency_slack);
  EXPECT_NEAR(makespan({.kind = ScheduleKind::interleaved, .virtual_stages = 2, .transfer = 0.5}),
              35.5, latency_slack);
}

// Vector pp/imbalanced_last_stage: the steady state runs at the slowest stage.
TEST(StepSimulation, SlowestStageSetsThePace) {
  EXPECT_NEAR(makespan({.last_stage_factor = 1.25}), 39.0, latency_slack);
}

TEST(StepSimulation, BlockingTransfersAreNeverFasterThanOverlapped) {
  for (const double transfer : {0.05, 0.2, 1.0})
    EXPECT_GE(makespan({.transfer = transfer, .overlap = false}),
              makespan({.transfer = transfer, .overlap = true}) - latency_slack);
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

TEST(StepSimulation, ForwardWaitsForTheStageBefore) {
  const StepSimulation simulation = simulate({.transfer = 0.2});
  for (std::size_t stage = 1; stage < 4; ++stage)
    EXPECT_GE(to_seconds(simulation.actions[stage][0].start).value(),
              to_seconds(simulation.actions[stage - 1][0].end).value() + 0.2 - 1e-9);
}

}  // namespace
}  // namespace stepcast

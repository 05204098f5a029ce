#include "sim/predict/step_simulation.hpp"

#include <gtest/gtest.h>

#include "tests/sim/predict/pipeline_fixtures.hpp"

namespace stepcast {
namespace {

using test::latency_slack;
using test::makespan;
using test::simulate;

TEST(StepExchange, BlockingExchangesAddNoBubbleToEqualStages) {
  for (const bool overlap : {false, true})
    EXPECT_NEAR(
        makespan({.kind = ScheduleKind::interleaved, .virtual_stages = 2, .overlap = overlap}),
        28.5, latency_slack)
        << overlap;
  EXPECT_NEAR(makespan({.overlap = false}), 33.0, latency_slack);
}

// Vectors pp/comm_latency_*: transfers that do not occupy the compute stream.
TEST(StepExchange, TransfersLengthenTheStepAsInTheVectors) {
  EXPECT_NEAR(makespan({.transfer = 0.1}), 34.6, latency_slack);
  EXPECT_NEAR(makespan({.transfer = 0.5}), 41.0, latency_slack);
  EXPECT_NEAR(makespan({.kind = ScheduleKind::interleaved, .virtual_stages = 2, .transfer = 0.1}),
              29.9, latency_slack);
  EXPECT_NEAR(makespan({.kind = ScheduleKind::interleaved, .virtual_stages = 2, .transfer = 0.5}),
              35.5, latency_slack);
}

TEST(StepExchange, BlockingTransfersAreNeverFasterThanOverlapped) {
  for (const double transfer : {0.05, 0.2, 1.0})
    EXPECT_GE(makespan({.transfer = transfer, .overlap = false}),
              makespan({.transfer = transfer, .overlap = true}) - latency_slack);
}

TEST(StepExchange, ForwardWaitsForTheStageBefore) {
  const StepSimulation simulation = simulate({.transfer = 0.2});
  for (std::size_t stage = 1; stage < 4; ++stage)
    EXPECT_GE(to_seconds(simulation.actions[stage][0].start).value(),
              to_seconds(simulation.actions[stage - 1][0].end).value() + 0.2 - 1e-9);
}

}  // namespace
}  // namespace stepcast

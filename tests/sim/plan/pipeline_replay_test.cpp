#include "sim/plan/pipeline_replay.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/sim/predict/pipeline_fixtures.hpp"

namespace stepcast {
namespace {

PipelineTimes times_of(const test::Shape& shape) {
  PipelineTimes times;
  times.stages = shape.stages;
  times.virtual_stages = shape.virtual_stages;
  times.micro_batches = shape.micro_batches;
  times.overlap = shape.overlap;
  for (std::int64_t stage = 0; stage < shape.stages; ++stage)
    for (std::int64_t chunk = 0; chunk < shape.virtual_stages; ++chunk) {
      const double factor = (stage + 1 == shape.stages ? shape.last_stage_factor : 1.0) /
                            static_cast<double>(shape.virtual_stages);
      times.forward.push_back(shape.forward * factor);
      times.backward.push_back(shape.backward * factor);
    }
  times.ready.assign(times.forward.size(), 0.0);
  times.transfer.assign(static_cast<std::size_t>(shape.stages), shape.transfer);
  return times;
}

double replay(const test::Shape& shape) {
  const std::vector<StageOrder> orders = make_schedule(
      {shape.kind, shape.stages, shape.virtual_stages, shape.micro_batches, shape.group});
  PipelineReplay pipeline;
  const PipelineEnds& ends = pipeline.play(times_of(shape), orders);
  return *std::max_element(ends.stage.begin(), ends.stage.end());
}

TEST(PipelineReplay, TakesTheClosedFormsTime) {
  // (m + p - 1)(F + B) for 1F1B and GPipe, m (F + B) + (p - 1)(F + B) / v interleaved (SEMANTICS
  // 4.2).
  const test::Shape plain{.stages = 4, .micro_batches = 8};
  EXPECT_NEAR(replay(plain), (8 + 3) * 3.0, 1e-9);
  test::Shape gpipe = plain;
  gpipe.kind = ScheduleKind::gpipe;
  EXPECT_NEAR(replay(gpipe), (8 + 3) * 3.0, 1e-9);
  test::Shape interleaved = plain;
  interleaved.kind = ScheduleKind::interleaved;
  interleaved.virtual_stages = 2;
  EXPECT_NEAR(replay(interleaved), 8 * 3.0 + 3 * 3.0 / 2, 1e-9);
}

// The engine is the truth; its transfers have microseconds of latency that the replay does not.
TEST(PipelineReplay, IsTheSimulationsTime) {
  std::mt19937 random(7);
  const auto pick = [&](std::initializer_list<std::int64_t> values) {
    return *(values.begin() +
             std::uniform_int_distribution<std::size_t>(0, values.size() - 1)(random));
  };
  for (int i = 0; i < 60; ++i) {
    test::Shape shape;
    shape.kind = std::array{ScheduleKind::gpipe, ScheduleKind::one_f_one_b,
                            ScheduleKind::interleaved}[static_cast<std::size_t>(pick({0, 1, 2}))];
    shape.stages = pick({2, 3, 4, 5});
    shape.micro_batches = shape.stages * pick({1, 2, 3});
    if (shape.kind == ScheduleKind::interleaved) shape.virtual_stages = pick({2, 3});
    shape.overlap =
        shape.kind == ScheduleKind::interleaved && (shape.stages == 2 || pick({0, 1}) == 1);
    shape.transfer = 0.05 * static_cast<double>(pick({0, 1, 4}));
    shape.last_stage_factor = 1.0 + 0.1 * static_cast<double>(pick({0, 3}));
    EXPECT_NEAR(replay(shape), test::makespan(shape), test::latency_slack)
        << "case " << i << ": " << name_of(shape.kind) << " p " << shape.stages << " m "
        << shape.micro_batches << " v " << shape.virtual_stages << " transfer " << shape.transfer
        << " overlap " << shape.overlap;
  }
}

TEST(PipelineReplay, FirstForwardWaitsForItsParameters) {
  const test::Shape shape{.stages = 1, .micro_batches = 2};
  PipelineTimes times = times_of(shape);
  times.ready = {5.0};
  PipelineReplay pipeline;
  const PipelineEnds& ends =
      pipeline.play(times, make_schedule({ScheduleKind::one_f_one_b, 1, 1, 2, 0}));
  EXPECT_DOUBLE_EQ(ends.stage.front(), 5.0 + 2 * 3.0);
  EXPECT_DOUBLE_EQ(ends.chunk.front(), ends.stage.front());
}

TEST(PipelineReplay, IsReusable) {
  const test::Shape shape{.stages = 4, .micro_batches = 8};
  PipelineReplay pipeline;
  const std::vector<StageOrder> orders = make_schedule({shape.kind, 4, 1, 8, 0});
  const PipelineTimes times = times_of(shape);
  const std::vector<double> first = pipeline.play(times, orders).stage;
  EXPECT_EQ(pipeline.play(times, orders).stage, first);
}

}  // namespace
}  // namespace stepcast

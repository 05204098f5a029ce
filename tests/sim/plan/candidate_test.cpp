#include "sim/plan/candidate.hpp"

#include <gtest/gtest.h>

#include "tests/sim/plan/plan_fixtures.hpp"

namespace stepcast {
namespace {

const Run& base() {
  static const Run run = test::small_search().bases.front();
  return run;
}

TEST(Candidate, ReplacesWhatASearchVariesAndNothingElse) {
  const Candidate candidate{.tensor = 2,
                            .pipeline = 2,
                            .data = 2,
                            .virtual_stages = 2,
                            .micro_batch = 2,
                            .sequence_parallel = true,
                            .schedule = ScheduleKind::interleaved,
                            .sharding = Sharding::optimizer,
                            .order = RankOrder::pipeline_inside,
                            .split = StageSplit::even,
                            .recompute = RecomputeKind::full,
                            .recompute_layers = 1};
  const auto run = run_of(candidate, base());
  EXPECT_EQ(run.gpus(), 8);
  EXPECT_EQ(run.parallel.order, "tp-cp-ep-pp-dp");
  EXPECT_EQ(run.training.recompute.layers, 1);
  EXPECT_TRUE(run.overlap.pipeline);
  EXPECT_EQ(run.training.global_batch, base().training.global_batch);
  EXPECT_EQ(run.model.name, base().model.name);
}

TEST(Candidate, SwitchesOffOverlapsThatCannotAct) {
  const auto run = run_of({.tensor = 8, .sharding = Sharding::none}, base());
  EXPECT_FALSE(run.overlap.param_gather);
  EXPECT_FALSE(run.overlap.pipeline);
  EXPECT_TRUE(run.overlap.grad_reduce);
}

TEST(Candidate, LeavesNoTraceOfTheCandidateBefore) {
  auto run = base();
  apply({.pipeline = 4,
         .virtual_stages = 2,
         .schedule = ScheduleKind::interleaved,
         .split = StageSplit::count_ends,
         .recompute = RecomputeKind::full,
         .recompute_layers = 1},
        base(), run);
  apply({.tensor = 8, .split = StageSplit::even}, base(), run);
  EXPECT_EQ(to_json(run), to_json(run_of({.tensor = 8, .split = StageSplit::even}, base())));
}

TEST(Candidate, ShorterEndsShareWhatTheMiddleLeaves) {
  // 8 layers on 3 stages: the middle has ceil(8 / 3) = 3, the ends 3 and 2.
  const auto run = run_of({.pipeline = 3, .split = StageSplit::shorter_ends}, base());
  EXPECT_EQ(run.parallel.stage_layers.first, 3);
  EXPECT_EQ(run.parallel.stage_layers.last, 2);
}

TEST(Candidate, ComplexityCountsAxesScheduleUnevenStagesAndFp8) {
  EXPECT_EQ(engineering_complexity(run_of({.split = StageSplit::even}, base())), 0);
  EXPECT_EQ(
      engineering_complexity(run_of({.tensor = 2, .data = 4, .split = StageSplit::even}, base())),
      2);
  auto run = run_of({.tensor = 2,
                    .pipeline = 2,
                    .data = 2,
                    .virtual_stages = 2,
                    .schedule = ScheduleKind::interleaved,
                    .split = StageSplit::count_loss},
                   base());
  run.training.precision = DataType::fp8;
  EXPECT_EQ(engineering_complexity(run), 3 + 1 + 1 + 1);
}

}  // namespace
}  // namespace stepcast

#include "sim/plan/migration_checklist.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/plan/migration_fixtures.hpp"

namespace stepcast {
namespace {

using namespace migration_fixtures;
using testing::AllOf;
using testing::HasSubstr;

// A migration without its forecasts.
Migration unforecast(const Run& from, const Run& to) {
  Migration migration;
  migration.knobs = knob_changes(from, to);
  migration.reads = migration_reads(from, to);
  migration.optimizer = optimizer_verdict(from, to);
  migration.random = random_verdict(from, to);
  return migration;
}

std::string steps(const Run& from, const Run& to, MemoryVerdict memory = MemoryVerdict::fits) {
  Migration migration = unforecast(from, to);
  migration.to_cost.verdict = memory;
  std::string all;
  for (const std::string& step : migration_checklist(migration, from, to)) all += step + "\n";
  return all;
}

TEST(MigrationChecklist, NamesFormatAndFlagsOfTheCase) {
  const auto text = steps(tiny_run(8, {"parallel.sharding=optimizer"}),
                          tiny_run(8, {"parallel.sharding=optimizer", "parallel.tensor=2"}));
  EXPECT_THAT(
      text,
      AllOf(HasSubstr("restart the old run with --dist-ckpt-optim-fully-reshardable"),
            HasSubstr("change in the launch of megatron: --tensor-model-parallel-size 2\n"),
            HasSubstr("set CUDA_DEVICE_MAX_CONNECTIONS=1"), HasSubstr("random state is not loaded"),
            HasSubstr("must agree with a continued old run to rounding")));
}

TEST(MigrationChecklist, SavesBeforeItChangesFlags) {
  const auto text = steps(tiny_run(8), tiny_run(8, {"parallel.pipeline=2"}));
  EXPECT_LT(text.find("save a checkpoint"), text.find("change in the launch"));
  EXPECT_LT(text.find("change in the launch"), text.find("start the new run"));
  EXPECT_LT(text.find("start the new run"), text.find("watch the loss"));
}

TEST(MigrationChecklist, StopsAtARunThatDoesNotFit) {
  const auto run = tiny_run(8);
  EXPECT_THAT(steps(run, run, MemoryVerdict::out_of_memory), testing::StartsWith("stop here"));
  EXPECT_THAT(steps(run, run), HasSubstr("no flag changes"));
}

TEST(MigrationChecklist, LoadsWeightsAloneWhereTheOptimizerCannotMove) {
  EXPECT_THAT(steps(tiny_run(8), tiny_run(8, {"parallel.sharding=optimizer"})),
              HasSubstr("load without the optimizer (--no-load-optim --no-load-rng)"));
  EXPECT_THAT(steps(tiny_run(8), tiny_run(8, {"framework=torchtitan", "parallel.sharding=none"})),
              HasSubstr("convert the weights to a Hugging Face checkpoint"));
}

TEST(MigrationChecklist, ConvertsDeepSpeedCheckpoints) {
  EXPECT_THAT(steps(tiny_run(8, {"framework=deepspeed"}),
                    tiny_run(8, {"framework=deepspeed", "parallel.tensor=2"})),
              HasSubstr("convert with ds_to_universal.py"));
}

TEST(MigrationChecklist, ExpectsNoisyCurvesAfterAStatisticalChange) {
  EXPECT_THAT(steps(tiny_run(8), tiny_run(8, {"training.global_batch=32"})),
              HasSubstr("single values will not"));
}

}  // namespace
}  // namespace stepcast

#include "sim/plan/migration_optimizer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/plan/migration_fixtures.hpp"

namespace stepcast {
namespace {

using namespace migration_fixtures;
using testing::HasSubstr;

CheckpointFormat format_named(const OptimizerVerdict& verdict, const std::string& name) {
  for (const CheckpointFormat& format : verdict.formats)
    if (format.format == name) return format;
  ADD_FAILURE() << "no format " << name;
  return {};
}

Run sharded(int gpus, std::vector<std::string> set = {}) {
  set.emplace_back("parallel.sharding=optimizer");
  return tiny_run(gpus, set);
}

TEST(OptimizerVerdict, DataAndContextMoveInTheDefaultFormat) {
  const auto verdict = optimizer_verdict(sharded(8), sharded(4, {"parallel.context=2"}));
  EXPECT_TRUE(verdict.moves);
  EXPECT_EQ(verdict.use, "dp_reshardable");
  EXPECT_EQ(
      verdict.verdict,
      "yes, as dp_reshardable: no flag is needed when saving; shared by 4 ranks instead of 8");
  EXPECT_FALSE(format_named(verdict, "local").allows);
}

TEST(OptimizerVerdict, TensorAndPipelineNeedTheFullyReshardableFormat) {
  for (const char* change : {"parallel.tensor=2", "parallel.pipeline=2"}) {
    const auto verdict = optimizer_verdict(sharded(8), sharded(8, {change}));
    EXPECT_EQ(verdict.use, "fully_reshardable") << change;
    EXPECT_FALSE(format_named(verdict, "dp_reshardable").allows) << change;
    EXPECT_FALSE(format_named(verdict, "dp_zero_gather_scatter").allows) << change;
    EXPECT_TRUE(format_named(verdict, "fully_sharded_model_space").allows) << change;
    EXPECT_FALSE(format_named(verdict, "ZeRO checkpoint").allows) << change;
    EXPECT_TRUE(format_named(verdict, "universal checkpoint").allows) << change;
    EXPECT_TRUE(format_named(verdict, "torch DCP").allows) << change;
    EXPECT_EQ(format_named(verdict, "fully_reshardable").save_flag,
              "--dist-ckpt-optim-fully-reshardable");
  }
}

TEST(OptimizerVerdict, VirtualStagesAndUnevenLayersMoveTheFlatBuckets) {
  const auto from = sharded(2, {"parallel.pipeline=2"});
  EXPECT_FALSE(format_named(optimizer_verdict(from, sharded(2, {"parallel.pipeline=2",
                                                                "parallel.virtual_stages=2"})),
                            "dp_reshardable")
                   .allows);
  const auto uneven = format_named(
      optimizer_verdict(from, sharded(2, {"parallel.pipeline=2", "parallel.stage_layers=[1, 3]"})),
      "dp_reshardable");
  EXPECT_FALSE(uneven.allows);
  EXPECT_THAT(uneven.reason, HasSubstr("layers of the stages"));
}

// max(40e6, 1e6 ranks): 64 ranks have buckets of 64,000,000 parameters.
TEST(OptimizerVerdict, WarnsOfTheDefaultBucket) {
  const std::vector<std::string> set{"overlap.grad_reduce=true", "training.global_batch=64"};
  const auto format =
      format_named(optimizer_verdict(sharded(32, set), sharded(64, set)), "dp_reshardable");
  EXPECT_TRUE(format.allows);
  EXPECT_THAT(format.reason, HasSubstr("set --ddp-bucket-size 40000000"));
}

TEST(OptimizerVerdict, LocalCheckpointsNeedTheSameRanks) {
  const auto from = sharded(8), to = sharded(8, {"training.recompute=full"});
  EXPECT_TRUE(format_named(optimizer_verdict(from, to), "local").allows);
}

TEST(OptimizerVerdict, UnshardedStateHasGlobalShapes) {
  const auto verdict = optimizer_verdict(tiny_run(8), tiny_run(8, {"parallel.tensor=2"}));
  EXPECT_TRUE(verdict.moves);
  EXPECT_EQ(verdict.use, "torch_dist, unsharded optimizer");
}

TEST(OptimizerVerdict, DoesNotPromiseAMoveToShardedState) {
  const auto verdict = optimizer_verdict(tiny_run(8), sharded(8));
  EXPECT_FALSE(verdict.moves);
  EXPECT_THAT(format_named(verdict, "torch_dist, unsharded optimizer").reason,
              HasSubstr("--no-load-optim"));
}

TEST(OptimizerVerdict, StaysWithItsFramework) {
  const auto verdict = optimizer_verdict(sharded(8), sharded(8, {"framework=torchtitan"}));
  EXPECT_FALSE(verdict.moves);
  EXPECT_THAT(verdict.verdict, HasSubstr("torchtitan cannot read the optimizer state of megatron"));
}

TEST(OptimizerVerdict, OfDeepSpeedUsesTheUniversalCheckpoint) {
  const auto verdict =
      optimizer_verdict(sharded(8, {"framework=deepspeed"}), sharded(4, {"framework=deepspeed"}));
  EXPECT_EQ(verdict.use, "universal checkpoint");
}

}  // namespace
}  // namespace stepcast

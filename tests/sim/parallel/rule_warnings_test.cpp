#include <gmock/gmock.h>

#include "run_fixtures.hpp"

namespace stepcast {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing_runs::run_with;

TEST(RuleWarnings, AreSilentOnAnOrdinaryRun) {
  EXPECT_THAT(run_with({"parallel.tensor=8", "parallel.pipeline=4"}).warnings, IsEmpty());
}

TEST(RuleWarnings, NameIdleGpus) {
  EXPECT_THAT(run_with({"parallel.data=8"}).warnings,
              ElementsAre("the run uses 8 of the 64 GPUs of dgx-h100:8; raise parallel.data to use "
                          "them all"));
}

TEST(RuleWarnings, NameTensorBeyondNvlinkAndKvHeads) {
  EXPECT_THAT(run_with({"parallel.tensor=16"}).warnings,
              ElementsAre("parallel.tensor = 16 is wider than the NVLink domain of 8 GPUs: every "
                          "layer waits for the network; keep it at 8 or less",
                          "parallel.tensor = 16 exceeds the 8 KV heads of llama-3-70b: every layer "
                          "gathers its QKV output over the tensor group; keep it at 8 or less"));
}

TEST(RuleWarnings, NameABubbleLongerThanTheWork) {
  EXPECT_THAT(
      run_with({"parallel.tensor=8", "parallel.pipeline=8", "training.global_batch=4"}).warnings,
      ElementsAre("4 micro-batches for 8 pipeline stages leave every stage idle for most of "
                  "the step; raise training.global_batch or lower parallel.pipeline"));
}

TEST(RuleWarnings, NameUnevenStages) {
  // torchtitan: 80 layers and 2 ends over 4 chunks.
  EXPECT_THAT(
      run_with({"parallel.pipeline=4", "framework=torchtitan", "parallel.sharding=none"}).warnings,
      ElementsAre("80 layers do not divide over 4 pipeline chunks: the first 2 have one "
                  "more; say parallel.stage_layers if they lie otherwise"));
}

TEST(RuleWarnings, NameOddMlpSlices) {
  const auto run = run_with({"model=llama-2-13b", "parallel.tensor=8"});
  EXPECT_THAT(run.warnings, IsEmpty());  // 1728 = 27 * 64
  EXPECT_THAT(run_with({"model=llama-2-7b", "parallel.tensor=8"}).warnings,
              ElementsAre("the MLP slice of a tensor rank is 1376 wide, not a multiple of 64: its "
                          "matrix products waste part of a tile; choose another parallel.tensor"));
}

}  // namespace
}  // namespace stepcast

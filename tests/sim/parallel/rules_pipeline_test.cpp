#include <gmock/gmock.h>

#include "run_fixtures.hpp"

namespace stepcast {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing_runs::messages_with;

using Assignments = std::vector<std::string>;

TEST(PipelineRules, StagesDivideTheLayers) {
  EXPECT_THAT(messages_with({"model=llama-3-405b", "parallel.pipeline=8"}),
              ElementsAre("run.json: parallel.pipeline = 8: must divide the 126 layers of "
                          "llama-3-405b (try 1, 2, 3, 6, 7, 9, 14, 18, 21, 42, 63, 126), or give "
                          "parallel.stage_layers"));
}

TEST(PipelineRules, ChunksDivideTheLayers) {
  // 80 layers: pipeline 4 leaves 1, 2, 4, 5, 10, 20 chunks a rank.
  EXPECT_THAT(messages_with({"parallel.pipeline=4", "parallel.virtual_stages=3"}),
              ElementsAre("run.json: parallel.virtual_stages = 3: pipeline 4 * virtual_stages 3 = "
                          "12 must divide the 80 layers of llama-3-70b (try 1, 2, 4, 5, 10, 20), "
                          "or give parallel.stage_layers"));
}

TEST(PipelineRules, CountedUnitsAreNamed) {
  EXPECT_THAT(messages_with({"parallel.pipeline=4",
                             "parallel.stage_layers={\"account_for_embedding\":true}"}),
              ElementsAre("run.json: parallel.pipeline = 4: must divide the 80 layers of "
                          "llama-3-70b and 1 counted for embedding and loss (try 1, 3, 9, 27, 81), "
                          "or give parallel.stage_layers"));
}

TEST(PipelineRules, ThereAreNoMoreStagesThanLayers) {
  EXPECT_THAT(messages_with({"model=llama-3-8b", "parallel.pipeline=64"}),
              ElementsAre("run.json: parallel.pipeline * parallel.virtual_stages = 64: must be at "
                          "most the 32 layers of llama-3-8b"));
}

TEST(PipelineRules, TorchtitanAndDeepspeedDealARemainder) {
  const Assignments uneven{"model=llama-3-405b", "parallel.pipeline=8"};
  for (const char* framework : {"framework=torchtitan", "framework=deepspeed"}) {
    Assignments assignments = uneven;
    assignments.insert(assignments.end(), {framework, "parallel.sharding=none"});
    EXPECT_THAT(messages_with(assignments), IsEmpty()) << framework;
  }
}

TEST(PipelineRules, GivenStagesMatchThePipelineAndTheModel) {
  EXPECT_THAT(messages_with({"parallel.pipeline=4", "parallel.stage_layers=[40,40]"}),
              ElementsAre("run.json: parallel.stage_layers = [40, 40]: must have one entry for "
                          "each of the 4 pipeline stages, found 2"));
  EXPECT_THAT(messages_with({"parallel.pipeline=4", "parallel.stage_layers=[20,20,20,21]"}),
              ElementsAre("run.json: parallel.stage_layers = [20, 20, 20, 21]: must add up to the "
                          "80 layers of llama-3-70b, found 81"));
  EXPECT_THAT(messages_with({"parallel.pipeline=4", "parallel.virtual_stages=2",
                             "parallel.stage_layers=[19,21,20,20]"}),
              ElementsAre("run.json: parallel.stage_layers[0] = 19: must be a multiple of "
                          "virtual_stages 2",
                          "run.json: parallel.stage_layers[1] = 21: must be a multiple of "
                          "virtual_stages 2"));
}

TEST(PipelineRules, FirstAndLastLeaveAnEvenRest) {
  EXPECT_THAT(messages_with({"parallel.pipeline=4", "parallel.stage_layers={\"first\":19}"}),
              ElementsAre("run.json: parallel.stage_layers = first 19, last even: leaves 61 of the "
                          "80 layers of llama-3-70b for the other 3 stages, which cannot share "
                          "them evenly"));
  EXPECT_THAT(
      messages_with({"parallel.pipeline=2", "parallel.stage_layers={\"first\":40,\"last\":41}"}),
      ElementsAre("run.json: parallel.stage_layers = first 40, last 41: leaves -1 of the "
                  "80 layers of llama-3-70b for the other 0 stages, which cannot share "
                  "them evenly"));
  EXPECT_THAT(messages_with({"parallel.stage_layers={\"first\":40}"}),
              ElementsAre("run.json: parallel.stage_layers = first 40, last even: needs "
                          "parallel.pipeline > 1"));
  EXPECT_THAT(messages_with({"parallel.pipeline=4", "parallel.virtual_stages=2",
                             "parallel.stage_layers={\"first\":17,\"last\":21}"}),
              Contains("run.json: parallel.stage_layers.first = 17: must be a multiple of "
                       "virtual_stages 2"));
}

TEST(PipelineRules, FirstAndLastExcludeCountedUnits) {
  EXPECT_THAT(messages_with({"parallel.pipeline=4",
                             "parallel.stage_layers={\"first\":20,\"account_for_loss\":true}"}),
              ElementsAre("run.json: parallel.stage_layers = first 20, last even: cannot be "
                          "combined with account_for_embedding or account_for_loss"));
}

TEST(PipelineRules, SchedulesFixTheNumberOfVirtualStages) {
  EXPECT_THAT(messages_with({"parallel.pipeline=4", "parallel.schedule=interleaved"}),
              ElementsAre("run.json: parallel.virtual_stages = 1: schedule interleaved needs at "
                          "least 2"));
  EXPECT_THAT(
      messages_with({"parallel.pipeline=4", "parallel.virtual_stages=2", "parallel.schedule=1f1b"}),
      ElementsAre("run.json: parallel.virtual_stages = 2: schedule 1f1b has one stage a "
                  "rank (try 1, or schedule interleaved)"));
  EXPECT_THAT(messages_with({"parallel.pipeline=4", "parallel.schedule=zb-v"}),
              Contains("run.json: parallel.virtual_stages = 1: schedule zb-v has two stages a rank "
                       "(try 2)"));
}

TEST(PipelineRules, InterleavingNeedsStagesToInterleave) {
  EXPECT_THAT(messages_with({"parallel.virtual_stages=2"}),
              ElementsAre("run.json: parallel.virtual_stages = 2: needs parallel.pipeline > 1"));
  EXPECT_THAT(
      messages_with({"parallel.pipeline=2", "parallel.virtual_stages=2", "overlap.pipeline=false"}),
      ElementsAre("run.json: parallel.virtual_stages = 2: needs parallel.pipeline > 2, or "
                  "overlap.pipeline"));
  EXPECT_THAT(messages_with({"parallel.pipeline=2", "parallel.virtual_stages=2"}), IsEmpty());
}

TEST(PipelineRules, InterleavingNeedsAGroupOfMicroBatches) {
  // tensor 8, pipeline 4: data 2; a batch of 6 makes 3 micro-batches.
  const Assignments base{"parallel.tensor=8", "parallel.pipeline=4", "parallel.virtual_stages=5"};
  Assignments few = base;
  few.emplace_back("training.global_batch=6");
  EXPECT_THAT(messages_with(few),
              ElementsAre("run.json: training.global_batch = 6: gives 3 micro-batches, interleaved "
                          "needs at least 4 (parallel.microbatch_group) (try 8, 16)"));
  Assignments remainder = base;
  remainder.emplace_back("training.global_batch=20");
  EXPECT_THAT(messages_with(remainder),
              ElementsAre("run.json: training.global_batch = 20: gives 10 micro-batches, "
                          "interleaved in groups of 4 leaves 2, fewer than pipeline 4 (try 16, "
                          "24)"));
  Assignments grouped = remainder;
  grouped.emplace_back("parallel.microbatch_group=5");
  EXPECT_THAT(messages_with(grouped), IsEmpty());
  Assignments narrow = base;
  narrow.emplace_back("parallel.microbatch_group=2");
  EXPECT_THAT(messages_with(narrow),
              ElementsAre("run.json: parallel.microbatch_group = 2: must be at least the pipeline "
                          "size 4"));
}

TEST(PipelineRules, MegatronRunsFewerMicroBatchesThanStagesAndTorchtitanDoesNot) {
  const Assignments few{"parallel.tensor=8", "parallel.pipeline=8", "training.global_batch=4"};
  EXPECT_THAT(messages_with(few), IsEmpty());
  Assignments titan = few;
  titan.insert(titan.end(), {"framework=torchtitan", "parallel.sharding=none"});
  EXPECT_THAT(
      messages_with(titan),
      ElementsAre("run.json: training.global_batch = 4: gives 4 micro-batches, torchtitan's "
                  "1f1b needs at least 8 (pipeline) (try 8, 9)"));
}

TEST(PipelineRules, TorchtitanInterleavesWholeRounds) {
  // 10 micro-batches on 4 ranks: 10 / 4 = 2 rounds; 11 do not split into 2.
  const Assignments base{"parallel.tensor=8", "parallel.pipeline=4",  "parallel.virtual_stages=2",
                         "parallel.data=1",   "framework=torchtitan", "parallel.sharding=none"};
  Assignments even = base, odd = base;
  even.emplace_back("training.global_batch=10");
  odd.emplace_back("training.global_batch=11");
  EXPECT_THAT(messages_with(even), IsEmpty());
  EXPECT_THAT(messages_with(odd),
              ElementsAre("run.json: training.global_batch = 11: gives 11 micro-batches, "
                          "torchtitan's interleaved needs a multiple of 2 (try 10, 12)"));
}

TEST(PipelineRules, DualpipeIsEvenAndLong) {
  EXPECT_THAT(messages_with({"parallel.tensor=8", "parallel.pipeline=4", "parallel.data=1",
                             "training.global_batch=7", "parallel.schedule=dualpipe"}),
              Contains("run.json: training.global_batch = 7: gives 7 micro-batches, dualpipe needs "
                       "an even number (try 8, 10)"));
}

}  // namespace
}  // namespace stepcast

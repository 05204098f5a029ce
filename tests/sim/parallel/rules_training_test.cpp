#include <gmock/gmock.h>

#include "run_fixtures.hpp"

namespace stepcast {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing_runs::messages_with;

TEST(TrainingRules, RecomputedLayersGoWithFull) {
  EXPECT_THAT(messages_with({"training.recompute={\"kind\":\"selective\",\"layers\":2}"}),
              ElementsAre("run.json: training.recompute.layers = 2: goes with kind full only, "
                          "found kind selective"));
  EXPECT_THAT(messages_with({"training.recompute={\"kind\":\"full\",\"modules\":[\"mlp\"]}"}),
              ElementsAre("run.json: training.recompute.modules = [mlp]: goes with kind selective "
                          "only, found kind full"));
}

TEST(TrainingRules, RecomputedLayersFitAChunk) {
  EXPECT_THAT(messages_with(
                  {"parallel.pipeline=4", "training.recompute={\"kind\":\"full\",\"layers\":21}"}),
              ElementsAre("run.json: training.recompute.layers = 21: must be at most the 20 layers "
                          "of the largest pipeline chunk"));
  EXPECT_THAT(messages_with({"parallel.pipeline=4", "parallel.stage_layers=[19,21,21,19]",
                             "training.recompute={\"kind\":\"full\",\"layers\":21}"}),
              IsEmpty());
}

TEST(TrainingRules, LearnedPositionsBoundTheSequence) {
  EXPECT_THAT(messages_with({"model=gpt3-175b", "training.sequence_length=4096"}),
              ElementsAre("run.json: training.sequence_length = 4096: must be at most the 2048 "
                          "learned positions of gpt3-175b"));
}

TEST(TrainingRules, Fp8NeedsTheHardware) {
  EXPECT_THAT(messages_with({"cluster=dgx-a100:8", "training.precision=fp8"}),
              ElementsAre("run.json: training.precision = fp8: a100-sxm-80gb has no fp8 units (try "
                          "bf16, fp16)"));
  EXPECT_THAT(messages_with({"training.precision=fp8"}), IsEmpty());
}

TEST(TrainingRules, ParametersMatchThePrecision) {
  EXPECT_THAT(messages_with({"training.parameter_dtype=fp16"}),
              ElementsAre("run.json: training.parameter_dtype = fp16: does not go with precision "
                          "bf16 (try bf16, fp32)"));
  EXPECT_THAT(messages_with({"training.precision=fp8", "training.parameter_dtype=fp8"}), IsEmpty());
}

TEST(TrainingRules, DeepspeedShardsNoGradientsInAPipeline) {
  EXPECT_THAT(
      messages_with({"framework=deepspeed", "parallel.pipeline=4", "parallel.sharding=gradients"}),
      Contains("run.json: parallel.sharding = gradients: DeepSpeed refuses it with "
               "parallel.pipeline > 1 (try none, optimizer)"));
}

TEST(TrainingRules, MegatronFsdpIsFlatAndUntied) {
  EXPECT_THAT(messages_with({"parallel.pipeline=4", "parallel.sharding=parameters"}),
              Contains("run.json: parallel.sharding = parameters: Megatron-LM's FSDP needs "
                       "pipeline 1 and expert 1 (try optimizer)"));
  EXPECT_THAT(messages_with({"model=gpt3-175b", "training.sequence_length=2048",
                             "parallel.sharding=parameters"}),
              Contains("run.json: parallel.sharding = parameters: Megatron-LM's FSDP needs untied "
                       "embeddings, those of gpt3-175b are tied (try optimizer)"));
}

TEST(TrainingRules, ParameterGathersOverlapOnlyWithShardingAndReduction) {
  EXPECT_THAT(messages_with({"overlap.param_gather=true"}),
              ElementsAre("run.json: overlap.param_gather = true: needs parallel.sharding "
                          "optimizer, found none",
                          "run.json: overlap.param_gather = true: needs overlap.grad_reduce"));
  EXPECT_THAT(messages_with({"overlap.param_gather=true", "overlap.grad_reduce=true",
                             "parallel.sharding=optimizer"}),
              IsEmpty());
}

TEST(TrainingRules, UserBuffersNeedSequenceParallel) {
  EXPECT_THAT(messages_with({"parallel.tensor=8", "overlap.tensor=true"}),
              ElementsAre("run.json: overlap.tensor = true: needs parallel.tensor > 1 with "
                          "parallel.sequence_parallel"));
  EXPECT_THAT(messages_with(
                  {"parallel.tensor=8", "overlap.tensor=true", "parallel.sequence_parallel=true"}),
              IsEmpty());
}

}  // namespace
}  // namespace stepcast

#include "sim/plan/migration_settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/plan/migration_fixtures.hpp"

namespace stepcast {
namespace {

using namespace migration_fixtures;
using testing::ElementsAre;

std::vector<std::string> settings(const std::vector<std::string>& from,
                                  const std::vector<std::string>& to) {
  const auto after = tiny_run(8, to);
  std::vector<std::string> texts;
  for (const KnobChange& knob : knob_changes(tiny_run(8, from), after))
    if (const std::string text = flag_setting(knob, after); !text.empty()) texts.push_back(text);
  return texts;
}

TEST(FlagSetting, GivesMegatronItsValues) {
  EXPECT_THAT(
      settings({}, {"parallel.tensor=2", "parallel.context=2", "parallel.sequence_parallel=true",
                    "parallel.sharding=optimizer"}),
      ElementsAre("--tensor-model-parallel-size 2", "--context-parallel-size 2",
                  "--cp-comm-type p2p", "--sequence-parallel", "--use-distributed-optimizer"));
}

TEST(FlagSetting, GivesMegatronSeveralFlagsForOneKnob) {
  EXPECT_THAT(
      settings({"parallel.pipeline=2"},
               {"parallel.pipeline=2", "parallel.stage_layers={\"first\": 1, \"last\": 3}",
                "training.precision=fp8", "training.recompute=full"}),
      ElementsAre("--decoder-first-pipeline-num-layers 1 --decoder-last-pipeline-num-layers 3",
                  "--bf16 --fp8-format hybrid",
                  "--recompute-granularity full --recompute-method uniform "
                  "--recompute-num-layers 1"));
}

TEST(FlagSetting, DropsSwitches) {
  EXPECT_THAT(settings({"parallel.sharding=optimizer", "overlap.grad_reduce=true"}, {}),
              ElementsAre("drop --use-distributed-optimizer", "drop --overlap-grad-reduce"));
}

TEST(FlagSetting, GivesDeepSpeedStagesAndAccumulation) {
  EXPECT_THAT(
      settings({"framework=deepspeed"},
               {"framework=deepspeed", "parallel.sharding=optimizer", "training.micro_batch=2"}),
      ElementsAre("zero_optimization.stage = 1", "train_micro_batch_size_per_gpu = 2",
                  "gradient_accumulation_steps = 1"));
}

// 4 layers in 2 x 2 virtual stages.
TEST(FlagSetting, GivesTorchtitanLayersAndClassNames) {
  const std::vector<std::string> base{"framework=torchtitan", "parallel.sharding=none",
                                      "parallel.pipeline=2",
                                      "parallel.stage_layers={\"account_for_embedding\": false, "
                                      "\"account_for_loss\": false}"};
  auto to = base;
  to.emplace_back("parallel.virtual_stages=2");
  EXPECT_THAT(settings(base, to),
              ElementsAre("parallelism.pipeline_parallel_layers_per_stage = 1",
                          "parallelism.pipeline_parallel_schedule = Interleaved1F1B"));
}

}  // namespace
}  // namespace stepcast

#include "reports/export_deepspeed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sim/parallel/run_json.hpp"

namespace stepcast {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(ExportDeepSpeed, TheJsonHoldsItsPartAndTheLauncherTheRest) {
  const auto run =
      parse_run("r", json{{"model", "llama-2-7b"},
                          {"cluster", "dgx-a100:2"},
                          {"framework", "deepspeed"},
                          {"parallel", {{"tensor", 4}, {"pipeline", 2}, {"sharding", "optimizer"}}},
                          {"training", {{"sequence_length", 4096}, {"global_batch", 32}}}});
  const Settings settings = deepspeed_settings(run);
  const json document = json::parse(deepspeed_json(settings, run, "{}", "ds.json"));
  EXPECT_EQ(document["train_batch_size"], 32);
  EXPECT_EQ(document["train_micro_batch_size_per_gpu"], 1);
  EXPECT_EQ(document["gradient_accumulation_steps"], 16);  // 32 / (1 * 2 replicas)
  EXPECT_EQ(document["zero_optimization"]["stage"], 1);
  EXPECT_EQ(document["bf16"]["enabled"], true);
  const std::string launcher = deepspeed_launcher(settings, run, "ds.json");
  EXPECT_EQ(document["stepcast"]["launcher"], launcher);
  for (const char* part :
       {"CUDA_DEVICE_MAX_CONNECTIONS=1 deepspeed --num_nodes 2 --num_gpus 8 pretrain_gpt.py",
        " --tensor-model-parallel-size 4", " --pipeline-model-parallel-size 2", " --num-layers 32",
        " --use-rotary-position-embeddings", " --deepspeed_config ds.json"})
    EXPECT_THAT(launcher, HasSubstr(part));
}

}  // namespace
}  // namespace stepcast

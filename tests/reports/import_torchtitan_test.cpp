#include "reports/import_torchtitan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace stepcast {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const std::string model = "[model]\nname = \"llama3\"\nflavor = \"8B\"\n";

json read(const std::string& text, std::int64_t gpus = 8) {
  ForeignSettings settings("run.toml", read_toml("run.toml", model + text));
  json document = torchtitan_document(settings, gpus, json());
  settings.throw_if_problems();
  return document;
}

std::string refusal(const std::string& text) {
  try {
    read(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ImportTorchtitan, AbsentSettingsHaveTorchtitansDefaults) {
  const json document = read("");
  EXPECT_EQ(document["model"], "llama-3-8b");
  EXPECT_EQ(document["parallel"]["sharding"], "parameters");
  EXPECT_EQ(document["training"]["micro_batch"], 8);
  EXPECT_EQ(document["training"]["global_batch"], 64);  // 8 a rank
  EXPECT_EQ(document["training"]["sequence_length"], 2048);
  EXPECT_EQ(document["training"]["parameter_dtype"], "fp32");
  // selective_ac_option "2": every second of the 32 layers.
  EXPECT_EQ(document["training"]["recompute"], json({{"kind", "full"}, {"layers", 16}}));
}

TEST(ImportTorchtitan, WithAPipelineTheLocalBatchIsCutIntoMicroBatches) {
  const json document = read(
      "[training]\nlocal_batch_size = 16\n[parallelism]\npipeline_parallel_degree = 4\n"
      "pipeline_parallel_microbatch_size = 2\n");
  EXPECT_EQ(document["training"]["micro_batch"], 2);
  EXPECT_EQ(document["training"]["global_batch"], 32);  // 16 on each of 2 replicas
}

TEST(ImportTorchtitan, StagesOfALoopedScheduleComeFromTheLayersPerStage) {
  const std::string looped =
      "[parallelism]\npipeline_parallel_degree = 4\n"
      "pipeline_parallel_schedule = \"Interleaved1F1B\"\n";
  EXPECT_EQ(read(looped)["parallel"]["virtual_stages"], 2);
  // 32 layers and two more for embedding and head, 3 a stage: 12 stages on 4 ranks.
  EXPECT_EQ(read(looped + "pipeline_parallel_layers_per_stage = 3\n")["parallel"]["virtual_stages"],
            3);
  EXPECT_THAT(refusal(looped + "pipeline_parallel_layers_per_stage = 7\n"),
              HasSubstr("makes 5 stages, which 4 ranks cannot share evenly"));
}

TEST(ImportTorchtitan, ReplicasAndShardsDecideTheSharding) {
  const auto sharding = [](const std::string& text) {
    return read("[parallelism]\n" + text)["parallel"]["sharding"];
  };
  EXPECT_EQ(sharding("data_parallel_replicate_degree = 8\ndata_parallel_shard_degree = 1\n"),
            "none");
  EXPECT_EQ(sharding("data_parallel_replicate_degree = 2\n"), "hybrid");
  EXPECT_EQ(sharding("fsdp_reshard_after_forward = \"never\"\n"), "gradients");
  EXPECT_THAT(refusal("[parallelism]\ndata_parallel_shard_degree = 4\n"),
              HasSubstr("1 replicas of 4 shards are not the 8 data-parallel ranks"));
}

TEST(ImportTorchtitan, OlderPlacesOfASettingAreRead) {
  const json document = read(
      "[training]\nbatch_size = 4\ntensor_parallel_degree = 2\n"
      "[experimental]\npipeline_parallel_degree = 2\n");
  EXPECT_EQ(document["parallel"]["tensor"], 2);
  EXPECT_EQ(document["parallel"]["pipeline"], 2);
  EXPECT_EQ(document["training"]["global_batch"], 8);
}

TEST(ImportTorchtitan, ReportsWrongValuesAndSyntax) {
  EXPECT_THAT(refusal("[parallelism]\ntensor_parallel_degree = \"two\"\n"),
              HasSubstr("parallelism.tensor_parallel_degree: must be a whole number >= 1"));
  EXPECT_THAT(refusal("[parallelism\n"), HasSubstr("run.toml: line 4, column"));
}

}  // namespace
}  // namespace stepcast

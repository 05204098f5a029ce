#include "reports/import_megatron.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "common/files.hpp"
#include "reports/shell_words.hpp"
#include "sim/memory/megatron_arguments.hpp"
#include "sim/parallel/run_json.hpp"
#include "topologies/cluster.hpp"

namespace stepcast {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json read(const std::string& arguments, std::int64_t gpus = 8) {
  ForeignSettings settings("run.sh", arguments_of(read_shell("run.sh", arguments).words));
  json document = megatron_document(settings, gpus, ReadModel::yes);
  settings.throw_if_problems();
  return document;
}

std::string refusal(const std::string& arguments, std::int64_t gpus = 8) {
  try {
    read(arguments, gpus);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

const std::string tiny =
    "--num-layers 24 --hidden-size 1024 --num-attention-heads 16 --micro-batch-size 2 "
    "--seq-length 512 --max-position-embeddings 512 --vocab-size 1000 ";

TEST(ImportMegatron, AbsentArgumentsHaveMegatronsDefaults) {
  const json document = read(tiny + "--bf16");
  const json& model = document["model"];
  EXPECT_EQ(model["ffn"], 4096);  // 4 * hidden
  EXPECT_EQ(model["hidden_dropout"], 0.1);
  EXPECT_EQ(model["tied_embeddings"], true);
  EXPECT_EQ(model["mlp_bias"], true);
  EXPECT_EQ(model["norm"], "layer_norm");
  EXPECT_EQ(model["position"], "learned");
  EXPECT_EQ(document["parallel"]["data"], 8);
  EXPECT_EQ(document["parallel"]["sharding"], "none");
  EXPECT_EQ(document["overlap"]["grad_reduce"], false);
  EXPECT_EQ(document["training"]["gradient_dtype"], "fp32");
  EXPECT_FALSE(document["training"].contains("global_batch"));
}

TEST(ImportMegatron, AGatedWidthIsEightThirdsInMultiplesOf64) {
  // 8/3 * 1024 = 2730.7, down to 42 * 64.
  EXPECT_EQ(read(tiny + "--bf16 --swiglu")["model"]["ffn"], 2688);
}

TEST(ImportMegatron, VirtualStagesByTheirLayersOrTheirNumber) {
  // 24 layers on 4 stages are 6 each; 2 a chunk are 3 chunks.
  const std::string pipeline = tiny + "--bf16 --pipeline-model-parallel-size 4 ";
  const json by_layers = read(pipeline + "--num-layers-per-virtual-pipeline-stage=2");
  EXPECT_EQ(by_layers["parallel"]["virtual_stages"], 3);
  EXPECT_EQ(by_layers["parallel"]["schedule"], "interleaved");
  EXPECT_EQ(by_layers["overlap"]["pipeline"], true);
  EXPECT_EQ(by_layers, read(pipeline + "--num-virtual-stages-per-pipeline-rank 3"));
  EXPECT_THAT(refusal(pipeline + "--num-layers-per-virtual-pipeline-stage 4"),
              HasSubstr("must divide the 6 layers of a stage, found 4"));
}

TEST(ImportMegatron, ALayoutGivesEachStagesLayers) {
  const json document = read(tiny +
                             "--bf16 --pipeline-model-parallel-size 2 "
                             "--pipeline-model-parallel-layout \"Et*4|t*8|t*4|t*8L\"");
  EXPECT_EQ(document["parallel"]["stage_layers"], json({8, 16}));
  EXPECT_EQ(document["parallel"]["virtual_stages"], 2);
}

TEST(ImportMegatron, ABlockAsLongAsTheChunkOrLongerIsEveryLayer) {
  const std::string full = tiny + "--bf16 --recompute-granularity full --recompute-method ";
  EXPECT_EQ(read(full + "block --recompute-num-layers 12")["training"]["recompute"]["layers"], 12);
  EXPECT_EQ(read(full + "block --recompute-num-layers 99")["training"]["recompute"],
            json({{"kind", "full"}}));
  EXPECT_EQ(read(full + "uniform --recompute-num-layers 1")["training"]["recompute"],
            json({{"kind", "full"}}));
}

TEST(ImportMegatron, ShardingOfFsdp) {
  const std::string fsdp = tiny + "--bf16 --use-megatron-fsdp --data-parallel-sharding-strategy ";
  EXPECT_EQ(read(fsdp + "optim_grads")["parallel"]["sharding"], "gradients");
  EXPECT_EQ(read(fsdp + "optim_grads_params")["parallel"]["sharding"], "parameters");
}

TEST(ImportMegatron, ReportsWhatItCannotRead) {
  EXPECT_THAT(refusal("--bf16 --vocab-size 9"),
              HasSubstr("--num-layers: missing (or give --model)"));
  EXPECT_THAT(refusal(tiny), HasSubstr("--bf16: missing, as is --fp16"));
  EXPECT_THAT(
      refusal(tiny + "--bf16 --tensor-model-parallel-size 3"),
      HasSubstr("--gpus: must be a multiple of tensor 3 * pipeline 1 * context 1, found 8"));
  EXPECT_THAT(refusal(tiny + "--bf16 --pipeline-model-parallel-size $PP"),
              HasSubstr("found \"$PP\", which this file does not define"));
}

std::string command_line(const json& arguments) {
  std::string text = "torchrun pretrain_gpt.py";
  for (const auto& [key, value] : arguments.items())
    text +=
        " \\\n  --" + key +
        (value == true ? "" : " " + (value.is_string() ? value.get<std::string>() : value.dump()));
  return text;
}

// The golden reader and this one must see the same degrees and training in the same arguments.
TEST(ImportMegatron, ReadsTheGoldenArgumentsAsTheMemoryTestsDo) {
  const std::string path =
      STEPCAST_SOURCE_DIR "/../shared/data/field_files/megatron_golden/megatron_golden_train.json";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is absent";
  int read_rows = 0;
  const Cluster cluster = load_cluster("dgx-h100:1");
  const json golden_file = json::parse(read_file(path));
  for (const json& row : golden_file["rows"]) {
    const json& arguments = row["args"];
    MegatronCase job{row["case"], row["platform"], row["env"], {}, std::nullopt};
    for (const auto& [key, value] : arguments.items())
      job.arguments[key] = value.is_string() ? value.get<std::string>() : value.dump();
    if (row["family"] == "bert" || row["family"] == "t5" || out_of_scope(job) ||
        !arguments.contains("num-layers"))
      continue;
    if (job.name.find("tunable_overlap") != std::string::npos) continue;  // group not in arguments
    const json golden = to_json(run_of(job, cluster));
    ForeignSettings settings("case",
                             arguments_of(read_shell("case", command_line(arguments)).words));
    const json found = megatron_document(settings, world_size(job), ReadModel::no);
    for (const char* key : {"tensor", "pipeline", "context", "data", "virtual_stages", "schedule",
                            "sharding", "context_kind"})
      EXPECT_EQ(found["parallel"][key], golden["parallel"][key]) << job.name << " " << key;
    for (const char* key : {"precision", "gradient_dtype", "attention", "micro_batch"})
      EXPECT_EQ(found["training"][key], golden["training"][key]) << job.name << " " << key;
    ++read_rows;
  }
  EXPECT_GT(read_rows, 100);
}

}  // namespace
}  // namespace stepcast

#include "reports/export_megatron.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sim/parallel/run_json.hpp"

namespace stepcast {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

json llama(const std::string& cluster) {
  return json{{"model", "llama-3-8b"},
              {"cluster", cluster},
              {"parallel", {{"tensor", 2}, {"pipeline", 4}, {"virtual_stages", 4}}},
              {"training", {{"sequence_length", 4096}, {"global_batch", 64}}}};
}

TEST(ExportMegatron, WritesTheShapeAndTheDegrees) {
  const Settings settings = megatron_settings(parse_run("r", llama("dgx-h100:2")));
  for (const Setting& expected :
       {Setting{"--num-layers", "32"}, Setting{"--num-query-groups", "8"},
        Setting{"--ffn-hidden-size", "14336"}, Setting{"--swiglu", ""},
        Setting{"--normalization", "RMSNorm"}, Setting{"--position-embedding-type", "rope"},
        Setting{"--tensor-model-parallel-size", "2"},
        Setting{"--pipeline-model-parallel-size", "4"},
        Setting{"--num-virtual-stages-per-pipeline-rank", "4"}, Setting{"--bf16", ""}})
    EXPECT_THAT(settings, Contains(expected)) << expected.key;
  EXPECT_THAT(settings, Not(Contains(Setting{"--overlap-grad-reduce", ""})));
}

TEST(ExportMegatron, ConnectionsAreLimitedBeforeBlackwellOnly) {
  EXPECT_TRUE(needs_one_connection(parse_run("r", llama("dgx-h100:2"))));
  EXPECT_FALSE(needs_one_connection(parse_run("r", llama("dgx-b200:2"))));
  json alone = llama("dgx-h100:2");
  alone["parallel"]["tensor"] = 1;
  EXPECT_FALSE(needs_one_connection(parse_run("r", alone)));
}

TEST(ExportMegatron, LaunchesEquallyManyRanksOnEachServer) {
  json document = llama("dgx-h100:2");
  const Launch whole = launch_of(parse_run("r", document));
  EXPECT_EQ(whole.nodes, 2);
  EXPECT_EQ(whole.each, 8);
  document["cluster"] = {{"server", "dgx-h100"}, {"gpus", 12}};  // 6 on each of two
  document["parallel"] = {{"tensor", 4}};
  document["training"]["global_batch"] = 3;
  const Launch part = launch_of(parse_run("r", document));
  EXPECT_EQ(part.nodes, 2);
  EXPECT_EQ(part.each, 6);
}

TEST(ExportMegatron, WritesAScriptThatPassesItsArgumentsOn) {
  const auto run = parse_run("r", llama("dgx-h100:2"));
  const std::string script =
      megatron_script({{"--layout", "Et*2|t*2L"}, {"--bf16", ""}}, run, "{}");
  EXPECT_THAT(script, HasSubstr("\n# stepcast: {}\n"));
  EXPECT_THAT(script, HasSubstr("export CUDA_DEVICE_MAX_CONNECTIONS=1\n"));
  EXPECT_THAT(script, HasSubstr("arguments=(\n  --layout \"Et*2|t*2L\"\n  --bf16\n)\n"));
  EXPECT_THAT(script, HasSubstr("torchrun --nnodes 2 --nproc-per-node 8 "));
  EXPECT_THAT(script, HasSubstr("pretrain_gpt.py \"${arguments[@]}\" \"$@\"\n"));
}

}  // namespace
}  // namespace stepcast

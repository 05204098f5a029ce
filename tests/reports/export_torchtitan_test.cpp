#include "reports/export_torchtitan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sim/parallel/run_json.hpp"

namespace stepcast {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::HasSubstr;

json llama() {
  return json{{"model", "llama-3-8b"},
              {"cluster", "dgx-h100:1"},
              {"framework", "torchtitan"},
              {"parallel", {{"pipeline", 2}, {"virtual_stages", 3}, {"sharding", "none"}}},
              {"training", {{"sequence_length", 4096}, {"global_batch", 64}, {"micro_batch", 2}}}};
}

TEST(ExportTorchtitan, BatchesAndStagesAsTorchtitanCountsThem) {
  const Settings settings = torchtitan_settings(parse_run("r", llama()));
  for (const Setting& expected :
       {Setting{"model.flavor", "8B"}, Setting{"training.local_batch_size", "16"},  // 64 / 4 ranks
        Setting{"parallelism.pipeline_parallel_microbatch_size", "2"},
        Setting{"parallelism.pipeline_parallel_schedule", "Interleaved1F1B"},
        // 32 layers and two for the ends on 6 stages: 6 a stage, rounded up.
        Setting{"parallelism.pipeline_parallel_layers_per_stage", "6"},
        Setting{"parallelism.data_parallel_replicate_degree", "4"},
        Setting{"parallelism.data_parallel_shard_degree", "1"}})
    EXPECT_THAT(settings, Contains(expected)) << expected.key;
}

TEST(ExportTorchtitan, WritesTomlWithTheLauncherAsAComment) {
  const std::string text = torchtitan_toml(
      {{"training.seq_len", "4096"}, {"training.dtype", "float32"}, {"model.converters", "float8"}},
      parse_run("r", llama()), "{}", "run.toml");
  EXPECT_THAT(text, HasSubstr("# torchrun --nnodes 1 --nproc-per-node 8 -m torchtitan.train "
                              "--job.config-file run.toml\n# stepcast: {}\n"));
  EXPECT_THAT(text, HasSubstr("[model]\nconverters = [ 'float8' ]\n"));
  EXPECT_THAT(text, HasSubstr("[training]\ndtype = 'float32'\nseq_len = 4096\n"));
}

}  // namespace
}  // namespace stepcast

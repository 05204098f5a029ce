#include <gtest/gtest.h>

#include <map>

#include "sim/memory/megatron_arguments.hpp"
#include "tests/sim/memory/published_rows.hpp"

namespace stepcast {
namespace {

using namespace memory_fixtures;

// What Megatron-LM's own functional tests measured (NVIDIA/Megatron-LM d98e8a6, tests/
// functional_tests/test_cases, golden values), on the last global rank.

MegatronCase case_of(const nlohmann::json& row) {
  MegatronCase job;
  job.name = row.at("case");
  job.platform = row.at("platform");
  job.environment = row.at("env");
  for (const auto& [key, value] : row.at("args").items())
    job.arguments[key] = value.is_string() ? value.get<std::string>() : value.dump();
  if (!row.at("world_size").is_null()) job.world_size = row.at("world_size").get<std::int64_t>();
  return job;
}

DeviceFacts device_of(const std::string& platform) {
  if (platform == "dgx_a100") return a100();
  return platform == "dgx_h100" ? h100() : b200();
}

StageMemory last_rank(const MegatronCase& job) {
  const Run run = run_of(job, small_cluster());
  return simulate(run, rules_of(job, run, device_of(job.platform)), run.parallel.pipeline - 1);
}

TEST(GoldenMemory, DenseGptRowsAreMet) {
  const nlohmann::json data = shared_data("field_files/megatron_golden/megatron_golden_train.json");
  if (data.is_null()) GTEST_SKIP() << "../shared/data is not here";
  Errors statics, peaks;
  for (const auto& row : data.at("rows")) {
    const auto job = case_of(row);
    if (row.at("family") != "gpt" || out_of_scope(job) || is_stale(job)) continue;
    const StageMemory memory = last_rank(job);
    statics.add(memory.static_allocated.value(), row.at("mem_allocated_bytes_last"));
    peaks.add(memory.peak_allocated.value(), row.at("mem_max_allocated_bytes_last"));
  }
  statics.print("golden GPT static");
  peaks.print("golden GPT peak");
  EXPECT_GE(statics.values.size(), 200u);
  EXPECT_LE(statics.quantile(0.5), 1.0);  // the bars of PEERS
  EXPECT_LE(peaks.quantile(0.5), 1.5);
  EXPECT_LE(statics.quantile(0.9), 1.5);
  EXPECT_LE(peaks.quantile(0.9), 1.7);
  // GB200 rows with context parallelism exist with two cuBLAS workspace sizes (MEMORY_EXACT 6.5).
  EXPECT_LE(statics.quantile(1.0), 11.0);
  EXPECT_LE(peaks.quantile(1.0), 7.0);
}

// Rows that set expandable segments: no rounding hides the tensor list.
TEST(GoldenMemory, SmallRowsWithoutAllocatorRoundingAreMetToTheByte) {
  MegatronCase job;
  job.name = "gpt3_mcore_te_tp1_pp4_vp1_resume_torch_decoupled_lr";
  job.platform = "dgx_h100";
  job.environment = "dev";
  job.world_size = 8;
  job.arguments = {{"num-layers", "12"},
                   {"hidden-size", "512"},
                   {"num-attention-heads", "8"},
                   {"micro-batch-size", "4"},
                   {"global-batch-size", "32"},
                   {"seq-length", "1024"},
                   {"pipeline-model-parallel-size", "4"},
                   {"num-layers-per-virtual-pipeline-stage", "1"},
                   {"deterministic-mode", "true"},
                   {"no-gradient-accumulation-fusion", "true"},
                   {"bf16", "true"}};
  const StageMemory memory = last_rank(job);
  EXPECT_DOUBLE_EQ(memory.static_allocated.value(), 759682560);
  EXPECT_NEAR(memory.peak_allocated.value(), 2639761408.0, 0.25 * 1048576);
}

struct SevenBillion {
  std::string platform;
  std::int64_t tensor, pipeline, virtual_stages, micro_batch;
  double static_gb, peak_gb;
};

// field_reports.json gold-7b-tp4-h100, -tp4-gb200, -pp4-a100: last rank, in GB (1e9).
TEST(GoldenMemory, SevenBillionReportsAreMet) {
  for (const SevenBillion& report : {SevenBillion{"dgx_h100", 4, 1, 1, 2, 20.664, 57.144},
                                     SevenBillion{"dgx_gb200", 4, 1, 1, 2, 20.663, 58.217},
                                     SevenBillion{"dgx_a100", 1, 4, 8, 1, 24.511, 60.489}}) {
    MegatronCase job;
    job.name = "gpt3_7b_memory_speed";
    job.platform = report.platform;
    job.environment = "dev";
    job.world_size = 8;
    job.arguments = {{"num-layers", "32"},
                     {"hidden-size", "4096"},
                     {"num-attention-heads", "32"},
                     {"group-query-attention", "true"},
                     {"num-query-groups", "8"},
                     {"untie-embeddings-and-output-weights", "true"},
                     {"seq-length", "8192"},
                     {"global-batch-size", "8"},
                     {"tokenizer-type", "NullTokenizer"},
                     {"vocab-size", "131073"},
                     {"use-distributed-optimizer", "true"},
                     {"deterministic-mode", "true"},
                     {"no-gradient-accumulation-fusion", "true"},
                     {"bf16", "true"}};
    job.arguments["micro-batch-size"] = std::to_string(report.micro_batch);
    job.arguments["tensor-model-parallel-size"] = std::to_string(report.tensor);
    job.arguments["pipeline-model-parallel-size"] = std::to_string(report.pipeline);
    if (report.virtual_stages > 1) job.arguments["num-layers-per-virtual-pipeline-stage"] = "1";
    const StageMemory memory = last_rank(job);
    EXPECT_NEAR(memory.static_allocated.value() / 1e9, report.static_gb, 0.01) << report.platform;
    EXPECT_NEAR(memory.peak_allocated.value() / 1e9, report.peak_gb, 0.01) << report.platform;
  }
}

}  // namespace
}  // namespace stepcast

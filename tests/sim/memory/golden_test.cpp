#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>

#include "sim/memory/megatron_arguments.hpp"
#include "tests/sim/memory/memory_fixtures.hpp"

namespace stepcast {
namespace {

using memory_fixtures::a100, memory_fixtures::b200, memory_fixtures::h100;

nlohmann::json shared(const std::string& name) {
  std::ifstream file(std::filesystem::path(STEPCAST_SOURCE_DIR) / "../shared/data" / name);
  return file ? nlohmann::json::parse(file) : nlohmann::json();
}

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

struct Errors {
  std::vector<double> values;
  void add(double predicted, double observed) {
    values.push_back(std::abs(predicted / observed - 1) * 100);
  }
  [[nodiscard]] double quantile(double share) const {
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
  }
  void print(const std::string& name) const {
    std::cout << std::fixed << std::setprecision(3) << name << ": " << values.size()
              << " rows, median " << quantile(0.5) << " %, p90 " << quantile(0.9) << " %, max "
              << quantile(1.0) << " %\n";
  }
};

TEST(GoldenMemory, DenseGptRowsAreMet) {
  const nlohmann::json data = shared("field_files/megatron_golden/megatron_golden_train.json");
  if (data.is_null()) GTEST_SKIP() << "../shared/data is not here";
  Errors statics, peaks;
  for (const auto& row : data.at("rows")) {
    if (row.at("family") != "gpt") continue;
    const auto job = case_of(row);
    if (out_of_scope(job)) continue;
    const auto run = run_of(job, memory_fixtures::small_cluster());
    const DeviceFacts facts = device_of(job.platform);
    const StageMemory memory =
        memory_fixtures::simulate(run, rules_of(job, run, facts), run.parallel.pipeline - 1);
    const double observed_static = row.at("mem_allocated_bytes_last");
    const double observed_peak = row.at("mem_max_allocated_bytes_last");
    statics.add(memory.static_allocated.value(), observed_static);
    peaks.add(memory.peak_allocated.value(), observed_peak);
    if (std::getenv("VERBOSE"))
      std::cout << std::fixed << std::setprecision(2) << job.name << " " << job.platform << " "
                << job.environment << " static " << observed_static / 1048576 << " "
                << (memory.static_allocated.value() - observed_static) / 1048576 << " MiB "
                << (memory.static_allocated.value() / observed_static - 1) * 100 << " % peak "
                << observed_peak / 1048576 << " "
                << (memory.peak_allocated.value() - observed_peak) / 1048576 << " MiB "
                << (memory.peak_allocated.value() / observed_peak - 1) * 100 << " %\n";
  }
  statics.print("golden GPT static");
  peaks.print("golden GPT peak");
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
    const auto run = run_of(job, memory_fixtures::small_cluster());
    const StageMemory memory = memory_fixtures::simulate(
        run, rules_of(job, run, device_of(report.platform)), report.pipeline - 1);
    EXPECT_NEAR(memory.static_allocated.value() / 1e9, report.static_gb, 0.01) << report.platform;
    EXPECT_NEAR(memory.peak_allocated.value() / 1e9, report.peak_gb, 0.01) << report.platform;
  }
}

TEST(GoldenMemory, BloomRowsAreMetByDeviceBytes) {
  const nlohmann::json rows = shared("published_runs.json");
  if (rows.is_null()) GTEST_SKIP() << "../shared/data is not here";
  Errors used;
  for (const auto& row : rows) {
    const std::string id = row.at("id");
    if (id.find("bloom-") == std::string::npos || row.at("completeness") != "full") continue;
    const bool oom = id[0] == 'o';
    if (!oom && row.at("observed").at("peak_memory_gib").is_null()) continue;
    const auto& arch = row.at("arch");
    Transformer model;
    model.layers = arch.at("layers");
    model.hidden = arch.at("hidden");
    model.heads = model.kv_heads = arch.at("heads");
    model.head_dim = arch.at("head_dim");
    model.ffn = arch.at("ffn");
    model.vocabulary = arch.at("vocab");
    model.gated_mlp = false;
    model.tied_embeddings = true;
    model.norm = NormKind::layer_norm;
    model.position = PositionKind::alibi;
    model.qkv_bias = model.attention_output_bias = model.mlp_bias = true;
    ParallelConfig parallel;
    parallel.tensor = row.at("tp");
    parallel.pipeline = row.at("pp");
    parallel.data = row.at("dp");
    parallel.sharding = row.at("zero") == "zero1" ? Sharding::optimizer : Sharding::none;
    parallel.stage_layers.account_for_embedding = parallel.stage_layers.account_for_loss =
        parallel.pipeline > 1;
    TrainingConfig training;
    training.sequence_length = row.at("seq_len");
    training.global_batch = row.at("global_batch");
    training.micro_batch = row.at("micro_batch");
    training.attention = AttentionKind::unfused;
    training.recompute.kind = RecomputeKind::full;
    if (row.at("precision") == "fp16")
      training.precision = training.parameter_dtype = training.gradient_dtype = DataType::fp16;
    auto run = memory_fixtures::make_run(model, parallel, training);
    run.framework = Framework::deepspeed;
    const MemoryRules rules = memory_rules_for(run, a100());
    Bytes worst, peak;
    std::int64_t at = 0;
    for (std::int64_t stage = 0; stage < parallel.pipeline; ++stage) {
      const StageMemory memory = memory_fixtures::simulate(run, rules, stage);
      if (memory.peak_allocated + memory.overhead > worst) at = stage;
      worst = std::max(worst, memory.peak_allocated + memory.overhead);
      peak = std::max(peak, memory.peak_allocated);
    }
    const double predicted = worst.value() / 1073741824;
    const double observed = oom ? 80 : row.at("observed").at("peak_memory_gib").get<double>();
    if (!oom) used.add(predicted, observed);
    if (std::getenv("VERBOSE")) {
      std::cout << id << " " << observed << " predicted " << predicted << " allocated "
                << peak.value() / 1073741824 << " stage " << at << " " << (predicted / observed - 1) * 100 << " %\n";
    }
  }
  used.print("BLOOM device bytes");
}

TEST(GoldenMemory, SimuMaxDenseRowsAreMet) {
  const nlohmann::json rows = shared("published_runs.json");
  if (rows.is_null()) GTEST_SKIP() << "../shared/data is not here";
  Errors peaks;
  for (const auto& row : rows) {
    const std::string id = row.at("id");
    if (id.rfind("simumax-b200-llama", 0) != 0) continue;
    const auto& arch = row.at("arch");
    Transformer model;
    model.layers = arch.at("layers");
    model.hidden = arch.at("hidden");
    model.heads = arch.at("heads");
    model.kv_heads = arch.at("kv_heads");
    model.head_dim = arch.at("head_dim");
    model.ffn = arch.at("ffn");
    model.vocabulary = arch.at("vocab");
    ParallelConfig parallel;
    parallel.tensor = row.at("tp");
    parallel.pipeline = row.at("pp");
    parallel.context = row.at("cp");
    parallel.data = row.at("dp");
    parallel.sequence_parallel = row.at("sequence_parallel");
    parallel.context_kind = ContextKind::ulysses;
    parallel.sharding = Sharding::optimizer;
    TrainingConfig training;
    training.sequence_length = row.at("seq_len");
    training.global_batch = row.at("global_batch");
    training.micro_batch = row.at("micro_batch");
    const auto run = memory_fixtures::make_run(model, parallel, training);
    MemoryRules rules = memory_rules_for(run, b200());
    rules.cross_entropy = CrossEntropy::engine_fused;
    rules.attention_mask = false;
    const auto& by_rank = row.at("derived").at("peak_allocated_mb_by_rank");
    for (std::int64_t stage = 0; stage < parallel.pipeline; ++stage) {
      double observed = 0;  // worst rank of the stage
      for (std::int64_t i = 0; i < 8 / parallel.pipeline; ++i)
        observed = std::max(
            observed, by_rank.at(std::to_string(stage * 8 / parallel.pipeline + i)).get<double>());
      const StageMemory memory = memory_fixtures::simulate(run, rules, stage);
      const double predicted = memory.peak_allocated.value() / 1048576;
      peaks.add(predicted, observed);
      if (std::getenv("VERBOSE")) {
        std::cout << id.substr(13) << " stage " << stage << " " << observed << " "
                  << predicted - observed << " MiB " << (predicted / observed - 1) * 100 << " %\n";
        if (std::string(std::getenv("VERBOSE")) == "2")
          for (const NamedBytes& entry : memory.alive_at_peak)
            std::cout << "    " << entry.name << " " << entry.bytes.value() / 1048576 << "\n";
      }
    }
  }
  peaks.print("SimuMax dense peak");
}

}  // namespace
}  // namespace stepcast

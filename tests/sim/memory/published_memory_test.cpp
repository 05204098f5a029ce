#include <gtest/gtest.h>

#include "tests/sim/memory/published_rows.hpp"

namespace stepcast {
namespace {

using namespace memory_fixtures;

constexpr double gibibyte = 1073741824.0;
constexpr double mebibyte = 1048576.0;

bool is_complete_dense(const nlohmann::json& row) {
  return row.at("completeness") == "full" && row.at("arch").at("experts").is_null();
}

Bytes device_bytes(const StageMemory& memory) { return memory.peak_allocated + memory.overhead; }

// The pipeline rank that needs most.
StageMemory worst_stage(const Run& run, const MemoryRules& rules) {
  StageMemory worst;
  for (std::int64_t stage = 0; stage < run.parallel.pipeline; ++stage) {
    StageMemory memory = simulate(run, rules, stage);
    if (device_bytes(memory) > device_bytes(worst)) worst = std::move(memory);
  }
  return worst;
}

Run simumax_run(const nlohmann::json& row) {
  Run run = published_run(row);
  run.parallel.context_kind = ContextKind::ulysses;
  return run;
}

// Highest of the ranks of one stage, in MiB.
double observed_peak(const nlohmann::json& row, std::int64_t stage, std::int64_t stages) {
  const auto& by_rank = row.at("derived").at("peak_allocated_mb_by_rank");
  double worst = 0;
  for (std::int64_t i = 0; i < 8 / stages; ++i)
    worst = std::max(worst, by_rank.at(std::to_string(stage * 8 / stages + i)).get<double>());
  return worst;
}

TEST(PublishedMemory, SimuMaxDenseRowsAreMetOnEachStage) {
  const nlohmann::json rows = shared_data("published_runs.json");
  if (rows.is_null()) GTEST_SKIP() << "../shared/data is not here";
  Errors peaks;
  for (const auto& row : rows) {
    if (!starts_with(row.at("id"), "simumax-b200-llama")) continue;
    const auto run = simumax_run(row);
    for (std::int64_t stage = 0; stage < run.parallel.pipeline; ++stage)
      peaks.add(
          simulate(run, memory_rules_for(run, b200()), stage).peak_allocated.value() / mebibyte,
          observed_peak(row, stage, run.parallel.pipeline));
  }
  peaks.print("SimuMax B200 dense peak");
  EXPECT_GE(peaks.values.size(), 20u);
  EXPECT_LE(peaks.quantile(1.0), 0.5);  // the bar of PEERS
}

// MEMORY_EXACT 3: 54,155.1 MiB counted, 54,158.1 observed.
TEST(PublishedMemory, TheProxyOf405BIsCountedExactly) {
  Transformer model = llama3_405b();
  model.kv_heads = 16;
  model.layers = 4;
  ParallelConfig parallel;
  parallel.tensor = 4;
  parallel.data = 2;
  parallel.sequence_parallel = true;
  parallel.sharding = Sharding::optimizer;
  TrainingConfig training;
  training.sequence_length = 4096;
  training.global_batch = 16;
  const auto run = make_run(model, parallel, training);
  EXPECT_NEAR(simulate(run, memory_rules_for(run, b200()), 0).peak_allocated.value() / mebibyte,
              54155.1, 0.06);
}

struct Figure {
  std::string id;
  double activations_gib;
};

// arXiv 2205.05198 Figure 1 as published_runs.json korthikanti22-fig1-* has it: activations of the
// first stage, analytic. Ours in flight at the peak, without what the paper leaves out.
TEST(PublishedMemory, KorthikantisFigureIsMetExactly) {
  const nlohmann::json rows = shared_data("published_runs.json");
  if (rows.is_null()) GTEST_SKIP() << "../shared/data is not here";
  for (const Figure& figure : {Figure{"22b-none", 59.25},
                               {"175b-none", 66.84375},
                               {"175b-selective+sp", 12.3515625},
                               {"530b-none", 114.0234375},
                               {"530b-selective+sp", 23.076171875},
                               {"1t-none", 131.25},
                               {"1t-selective+sp", 26.5625}}) {
    for (const auto& row : rows) {
      if (row.at("id") != "korthikanti22-fig1-" + figure.id) continue;
      auto run = published_run(row);
      run.model.hidden_dropout = run.model.attention_dropout = 0.1;
      const StageMemory memory = simulate(run, memory_rules_for(run, a100()), 0);
      const double layers = layers_in_flight(run, memory);
      EXPECT_DOUBLE_EQ(layers * papers_layer_bytes(run) / gibibyte, figure.activations_gib)
          << figure.id;
    }
  }
}

Run bloom_run(const nlohmann::json& row) {
  Run run = published_run(row);
  run.framework = Framework::deepspeed;
  run.framework_release = "megatron-deepspeed-2022";
  run.model.position = PositionKind::alibi;
  // partition_method "type:transformer|embedding": both embeddings count as layers.
  run.parallel.stage_layers.account_for_embedding = run.parallel.stage_layers.account_for_loss =
      run.parallel.pipeline > 1;
  return run;
}

// nvidia-smi on the worst node, as printed by bigscience-workshop/bigscience.
TEST(PublishedMemory, BloomRowsAreMetByDeviceBytes) {
  const nlohmann::json rows = shared_data("published_runs.json");
  if (rows.is_null()) GTEST_SKIP() << "../shared/data is not here";
  Errors used;
  for (const auto& row : rows) {
    const auto& observed = row.at("observed").at("peak_memory_gib");
    if (!starts_with(row.at("id"), "bloom-") || !is_complete_dense(row) || observed.is_null())
      continue;
    const auto run = bloom_run(row);
    const MemoryRules rules = memory_rules_for(run, a100());
    used.add(device_bytes(worst_stage(run, rules)).value() / gibibyte, observed);
  }
  used.print("BLOOM device bytes");
  EXPECT_LE(used.quantile(0.5), 4.5);
  EXPECT_LE(used.quantile(0.9), 8.0);
}

// Three layouts that did not fit 80 GB; MEMORY_EXACT 6.8 on why the third cannot be told.
TEST(PublishedMemory, BloomLayoutsThatRanOutAreOutOfMemory) {
  const nlohmann::json rows = shared_data("published_runs.json");
  if (rows.is_null()) GTEST_SKIP() << "../shared/data is not here";
  for (const auto& row : rows) {
    const std::string id = row.at("id");
    if (!starts_with(id, "oom-bloom") || !is_complete_dense(row)) continue;
    if (id.find("206b") != std::string::npos) continue;
    const auto run = bloom_run(row);
    const StageMemory memory = worst_stage(run, memory_rules_for(run, a100()));
    EXPECT_EQ(judge(memory, gibibytes(79.15)), MemoryVerdict::out_of_memory) << id;
  }
}

struct Reserved {
  std::string id, release;
  double within_percent;
};

// max_memory_reserved of NeMo (16-bit gradients) and of compiled torchtitan.
TEST(PublishedMemory, ReservedBytesOfOtherFrameworksAreNear) {
  const nlohmann::json rows = shared_data("published_runs.json");
  if (rows.is_null()) GTEST_SKIP() << "../shared/data is not here";
  for (const Reserved& reserved :
       {Reserved{"dgxc-v25.04-llama3-8b-h100-8-bf16-gbs128", "nemo-25", 4.0},
        {"dgxc-v25.04-nemotron4-15b-h100-64-bf16-gbs256", "nemo-25", 4.0},
        {"titan-2412-8b-8-compile", "torchtitan", 2.0},
        {"titan-2412-8b-128-compile", "torchtitan", 2.0}}) {
    for (const auto& row : rows) {
      if (row.at("id") != reserved.id) continue;
      auto run = published_run(row);
      run.framework_release = reserved.release;
      run.training.gradient_dtype = DataType::bf16;
      if (reserved.release == "torchtitan") {
        run.framework = Framework::torchtitan;
        run.training.parameter_dtype = run.training.gradient_dtype = DataType::fp32;
      }
      const MemoryRules rules = memory_rules_for(run, h100());
      const double predicted =
          simulate(run, rules, 0).peak_allocated.value() * rules.reserved_over_allocated / gibibyte;
      const double observed = row.at("observed").at("peak_memory_gib");
      EXPECT_NEAR(predicted / observed, 1.0, reserved.within_percent / 100) << reserved.id;
    }
  }
}

}  // namespace
}  // namespace stepcast

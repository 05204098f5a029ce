#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/sim/memory/memory_fixtures.hpp"

namespace stepcast::memory_fixtures {

// A file of the data folder beside the project; null when it is not there.
inline nlohmann::json shared_data(const std::string& name) {
  std::ifstream file(std::filesystem::path(STEPCAST_SOURCE_DIR) / "../shared/data" / name);
  return file ? nlohmann::json::parse(file) : nlohmann::json();
}

inline bool starts_with(const std::string& text, const std::string& start) {
  return text.rfind(start, 0) == 0;
}

// Absolute errors in percent; prints what a reader of the log wants to know.
struct Errors {
  std::vector<double> values;
  void add(double predicted, double observed) {
    values.push_back(std::abs(predicted / observed - 1) * 100);
  }
  [[nodiscard]] double quantile(double share) const {
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    return sorted.at(static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1)));
  }
  void print(const std::string& name) const {
    std::cout << std::fixed << std::setprecision(3) << name << ": " << values.size()
              << " rows, median " << quantile(0.5) << " %, p90 " << quantile(0.9) << " %, max "
              << quantile(1.0) << " %\n";
  }
};

inline Transformer transformer_of(const nlohmann::json& arch) {
  Transformer model;
  model.layers = arch.at("layers");
  model.hidden = arch.at("hidden");
  model.heads = arch.at("heads");
  model.kv_heads = arch.at("kv_heads");
  model.head_dim = arch.at("head_dim");
  model.ffn = arch.at("ffn");
  model.vocabulary = arch.at("vocab");
  model.gated_mlp = arch.at("gated_mlp");
  model.tied_embeddings = arch.at("tied_embeddings");
  if (!model.gated_mlp) {  // GPT style
    model.norm = NormKind::layer_norm;
    model.qkv_bias = model.attention_output_bias = model.mlp_bias = true;
  }
  return model;
}

inline Sharding sharding_of(const nlohmann::json& zero) {
  if (zero == "zero1" || zero == "distributed_optimizer") return Sharding::optimizer;
  if (zero == "zero2") return Sharding::gradients;
  if (zero == "zero3/fsdp" || zero == "hsdp") return Sharding::parameters;
  return Sharding::none;
}

// A complete dense row of published_runs.json as a run.
inline Run published_run(const nlohmann::json& row) {
  ParallelConfig parallel;
  parallel.tensor = row.at("tp");
  parallel.pipeline = row.at("pp");
  parallel.context = row.at("cp");
  parallel.data = row.at("dp");
  parallel.virtual_stages = row.at("vp");
  if (parallel.virtual_stages > 1) parallel.schedule = ScheduleKind::interleaved;
  parallel.sequence_parallel = row.at("sequence_parallel").get<bool>() && parallel.tensor > 1;
  parallel.sharding = sharding_of(row.at("zero"));
  TrainingConfig training;
  training.sequence_length = row.at("seq_len");
  training.global_batch = row.at("global_batch");
  training.micro_batch = row.at("micro_batch");
  const std::string precision = row.at("precision");
  if (precision == "fp16")
    training.precision = training.parameter_dtype = training.gradient_dtype = DataType::fp16;
  if (starts_with(precision, "fp8")) training.precision = DataType::fp8;
  if (row.at("attention") == "unfused") training.attention = AttentionKind::unfused;
  if (row.at("recompute") == "full") training.recompute.kind = RecomputeKind::full;
  if (row.at("recompute") == "selective" || row.at("recompute").is_object())
    training.recompute.kind = RecomputeKind::selective;
  return make_run(transformer_of(row.at("arch")), parallel, training);
}

}  // namespace stepcast::memory_fixtures

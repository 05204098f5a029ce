#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "reports/score_readers.hpp"

namespace stepcast {

namespace {

// 10 % and 90 % quantiles of the standard normal distribution.
constexpr double normal_p90 = 1.2815515655446004;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// The tables' spellings; "bf16->fp32out" is a weight gradient accumulated in fp32.
std::optional<DataType> type_of(const std::string& name) {
  static const std::map<std::string, DataType> types{
      {"bf16", DataType::bf16}, {"bfloat16", DataType::bf16}, {"bf16->fp32out", DataType::bf16},
      {"fp16", DataType::fp16}, {"float16", DataType::fp16},  {"fp16/bf16", DataType::bf16},
      {"fp8", DataType::fp8},   {"fp32", DataType::fp32}};
  const auto found = types.find(name);
  return found == types.end() ? std::nullopt : std::optional(found->second);
}

GemmPass pass_of(const std::string& layout, const std::string& type) {
  if (layout.starts_with("NN")) return GemmPass::dgrad;
  if (layout.starts_with("NT"))
    return type == "bf16->fp32out" ? GemmPass::wgrad_accumulate : GemmPass::wgrad;
  return GemmPass::forward;
}

// The profile of a kernel table, or the reason why there is none.
std::pair<std::string, std::string> profile_for(const ScoreFile& file, const std::string& prefix) {
  if (!file.profile.empty()) return {file.profile, ""};
  const std::string name = profile_of_file_name(file.name, prefix);
  if (!name.empty()) return {name, ""};
  return {"", "the file name names no profile preset: choose one with --profile"};
}

using Estimator = std::optional<Estimate> (*)(const CsvRow&, const LoadedProfile&,
                                              std::string& reason);

std::vector<ScoreJob> kernel_jobs(const ScoreFile& file, const CsvTable& table,
                                  ProfileLibrary& profiles, const std::string& prefix,
                                  Estimator estimate) {
  const auto [name, no_profile] = profile_for(file, prefix);
  const LoadedProfile* const profile = name.empty() ? nullptr : &profiles.get(name);
  std::vector<ScoreJob> jobs;
  for (const CsvRow& row : table.rows)
    jobs.push_back([scored = kernel_row(file, row), row, profile, reason = no_profile, estimate] {
      if (profile == nullptr) return skip(scored, reason);
      if (!(scored.observed > 0.0)) return skip(scored, "no measured time");
      std::string why;
      const auto time = estimate(row, *profile, why);
      if (!time) return skip(scored, why);
      ScoredRow done = scored;
      set_prediction(done, *time);
      return std::vector<ScoredRow>{std::move(done)};
    });
  return jobs;
}

std::optional<Estimate> estimate_gemm(const CsvRow& row, const LoadedProfile& profile,
                                      std::string& reason) {
  const auto type = type_of(row.text("dtype"));
  if (!type || !profile.profile.device.peak.contains(*type)) {
    reason = "type " + row.text("dtype") + " is not in the profile";
    return std::nullopt;
  }
  const GemmShape shape{row.count("m"), row.count("n"), row.count("k")};
  if (shape.m < 1 || shape.n < 1 || shape.k < 1) {
    reason = "m, n and k must be whole numbers >= 1";
    return std::nullopt;
  }
  return profile.costs->gemm(shape, *type, pass_of(row.text("layout"), row.text("dtype")));
}

std::optional<AttentionKernel> kernel_of(const std::string& implementation) {
  const std::string name = lower(implementation);
  const auto has = [&](const char* word) { return name.find(word) != std::string::npos; };
  if (has("fa4")) return std::nullopt;
  if (has("fa3")) return AttentionKernel::flash3;
  if (has("fa2") || has("flash_attention") || has("flash_attn")) return AttentionKernel::flash2;
  // NVIDIA's generated kernels: cuDNN's and TensorRT-LLM's fused attention.
  if (has("cudnn") || has("trtllm") || has("transformer engine")) return AttentionKernel::cudnn;
  if (has("triton")) return AttentionKernel::triton;
  return std::nullopt;
}

Estimate sum(const Estimate& a, const Estimate& b) {
  const Seconds time = a.time + b.time;
  const double sigma =
      (a.relative_sigma * a.time.value() + b.relative_sigma * b.time.value()) / time.value();
  return {time, sigma, std::max(a.basis, b.basis)};
}

std::optional<Estimate> estimate_attention(const CsvRow& row, const LoadedProfile& profile,
                                           std::string& reason) {
  const auto kernel = kernel_of(row.text("impl"));
  const auto type = type_of(row.text("dtype"));
  if (!kernel) reason = "kernel " + row.text("impl") + " is not modelled";
  if (!type || *type == DataType::fp8 || *type == DataType::fp32)
    reason = "type " + row.text("dtype") + " is not modelled";
  for (const char* column : {"batch", "seq_q", "seq_kv", "heads_q", "heads_kv", "head_dim_qk"})
    if (row.count(column) < 1) reason = std::string(column) + " must be a whole number >= 1";
  if (row.text("head_dim_qk") != row.text("head_dim_v"))
    reason = "different head widths of queries and values are not modelled";
  if (!reason.empty()) return std::nullopt;
  const AttentionShape shape{.batch = row.count("batch"),
                             .query_length = row.count("seq_q"),
                             .key_length = row.count("seq_kv"),
                             .heads = row.count("heads_q"),
                             .kv_heads = row.count("heads_kv"),
                             .head_dim = row.count("head_dim_qk"),
                             .causal = row.text("causal") == "1"};
  const auto pass = [&](AttentionPass p) { return profile.costs->attention(shape, p, *kernel); };
  const std::string direction = row.text("direction");
  if (direction == "fwd") return pass(AttentionPass::forward);
  if (direction == "bwd") return pass(AttentionPass::backward);
  if (direction == "fwd+bwd")
    return sum(pass(AttentionPass::forward), pass(AttentionPass::backward));
  reason = "direction " + direction + " is none of fwd, bwd, fwd+bwd";
  return std::nullopt;
}

}  // namespace

bool is_gemm_table(const CsvTable& table) {
  return table.has({"m", "n", "k", "dtype", "layout", "measured_us"});
}

bool is_attention_table(const CsvTable& table) {
  return table.has({"batch", "seq_q", "seq_kv", "heads_q", "heads_kv", "head_dim_qk", "head_dim_v",
                    "causal", "dtype", "direction", "measured_us", "impl"});
}

ScoredRow kernel_row(const ScoreFile& file, const CsvRow& row) {
  const std::filesystem::path path(file.name);
  ScoredRow out;
  out.id = path.filename().string() + ":" + std::to_string(row.line);
  out.source = path.stem().string();
  out.metric = "time_s";
  auto time = row.number("median_us_all_stacks");
  if (!time) time = row.number("measured_us");
  if (!time) time = row.number("time_us");
  out.observed = time.value_or(0.0) * 1e-6;
  return out;
}

void set_prediction(ScoredRow& row, const Estimate& estimate) {
  const double spread = std::exp(normal_p90 * estimate.relative_sigma);
  row.predicted = estimate.time.value();
  row.basis = std::string(name_of(estimate.basis));
  row.p10 = row.predicted / spread;
  row.p90 = row.predicted * spread;
}

std::vector<ScoredRow> skip(ScoredRow row, std::string reason) {
  row.skipped = std::move(reason);
  return {std::move(row)};
}

std::string profile_of_file_name(const std::string& name, const std::string& prefix) {
  std::string stem = std::filesystem::path(name).stem().string();
  if (!stem.starts_with(prefix)) return "";
  stem.erase(0, prefix.size());
  std::replace(stem.begin(), stem.end(), '_', '-');
  const std::vector<std::string> presets = profile_presets();
  return std::find(presets.begin(), presets.end(), stem) == presets.end() ? "" : stem;
}

std::vector<ScoreJob> gemm_jobs(const ScoreFile& file, const CsvTable& table,
                                ProfileLibrary& profiles) {
  return kernel_jobs(file, table, profiles, "gemm_", estimate_gemm);
}

std::vector<ScoreJob> attention_jobs(const ScoreFile& file, const CsvTable& table,
                                     ProfileLibrary& profiles) {
  return kernel_jobs(file, table, profiles, "attention_", estimate_attention);
}

}  // namespace stepcast

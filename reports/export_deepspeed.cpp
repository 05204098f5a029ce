#include "reports/export_deepspeed.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "models/model_json.hpp"
#include "reports/export_megatron.hpp"
#include "reports/framework_flags.hpp"
#include "sim/parallel/run_json.hpp"

namespace stepcast {
namespace {

using Json = nlohmann::json;

bool is_argument(const Setting& setting) { return setting.key.starts_with("--"); }

std::string zero_stage(Sharding sharding) {
  switch (sharding) {
    case Sharding::none: return "0";
    case Sharding::optimizer: return "1";
    case Sharding::gradients: return "2";
    case Sharding::parameters:
    case Sharding::hybrid: return "3";
  }
  return "0";
}

void add_config(const Run& run, Settings& settings) {
  const bool fp16 = run.training.precision == DataType::fp16;
  settings.push_back({"gradient_accumulation_steps", std::to_string(run.micro_batches())});
  settings.push_back({"zero_optimization.stage", zero_stage(run.parallel.sharding)});
  settings.push_back({fp16 ? "fp16.enabled" : "bf16.enabled", "true"});
}

void add_arguments(const Run& run, Settings& settings) {
  const auto flag = [&](const char* key) { settings.push_back({key, ""}); };
  if (run.model.position == PositionKind::rotary) flag("--use-rotary-position-embeddings");
  add_vocabulary_and_positions(run, settings);
  if (run.parallel.pipeline == 1) flag("--no-pipeline-parallel");
  if (run.training.recompute.kind == RecomputeKind::selective) flag("--recompute-activations");
  if (run.training.recompute.kind == RecomputeKind::full) {
    flag("--checkpoint-activations");
    flag("--deepspeed-activation-checkpointing");
  }
  if (run.training.attention == AttentionKind::flash) flag("--use-flash-attn-v2");
  flag(run.training.precision == DataType::fp16 ? "--fp16" : "--bf16");
}

}  // namespace

Settings deepspeed_settings(const Run& run) {
  Json document = to_json(run);
  document["model"] = to_json(run.model);
  Settings settings = write_rows(deepspeed_model_rows(), document);
  for (Setting& setting : write_rows(deepspeed_rows(), document))
    settings.push_back(std::move(setting));
  add_arguments(run, settings);
  add_config(run, settings);
  return settings;
}

std::string deepspeed_launcher(const Settings& settings, const Run& run, const std::string& path) {
  const Launch launch = launch_of(run);
  std::string line = needs_one_connection(run) ? "CUDA_DEVICE_MAX_CONNECTIONS=1 " : std::string{};
  line += fmt::format("deepspeed --num_nodes {} --num_gpus {} pretrain_gpt.py", launch.nodes,
                      launch.each);
  for (const Setting& setting : settings)
    if (is_argument(setting))
      line += " " + setting.key + (setting.value.empty() ? "" : " " + setting.value);
  return line + " --deepspeed --deepspeed_config " + path;
}

std::string deepspeed_json(const Settings& settings, const Run& run, const std::string& note,
                           const std::string& path) {
  Json document = Json::object();
  for (const Setting& setting : settings) {
    if (is_argument(setting)) continue;
    const Json value = Json::parse(setting.value, nullptr, false);
    member_at(document, setting.key) = value.is_discarded() ? Json(setting.value) : value;
  }
  document["stepcast"] = {{"launcher", deepspeed_launcher(settings, run, path)},
                          {"run", Json::parse(note)}};
  return document.dump(2) + "\n";
}

}  // namespace stepcast

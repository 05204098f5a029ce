#include "reports/export_megatron.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/model_json.hpp"
#include "reports/framework_flags.hpp"
#include "reports/import_run.hpp"
#include "reports/pipeline_layout.hpp"
#include "sim/parallel/run_json.hpp"

namespace stepcast {
namespace {

void add(Settings& settings, const std::string& key) { settings.push_back({key, ""}); }
void add(Settings& settings, const std::string& key, std::int64_t value) {
  settings.push_back({key, std::to_string(value)});
}

void add_model(const Run& run, Settings& settings) {
  const Transformer& model = run.model;
  if (model.kv_heads != model.heads) {
    add(settings, "--group-query-attention");
    add(settings, "--num-query-groups", model.kv_heads);
  }
  if (model.qkv_bias && !model.mlp_bias) add(settings, "--add-qkv-bias");
  add_vocabulary_and_positions(run, settings);
}

void add_pipeline(const Run& run, Settings& settings) {
  const ParallelConfig& parallel = run.parallel;
  const StageLayers& layers = parallel.stage_layers;
  const bool interleaved = parallel.schedule == ScheduleKind::interleaved;
  if (!layers.every.empty())
    settings.push_back({"--pipeline-model-parallel-layout",
                        pipeline_layout(layers.every, parallel.virtual_stages)});
  else if (interleaved)
    add(settings, "--num-virtual-stages-per-pipeline-rank", parallel.virtual_stages);
  if (layers.first) add(settings, "--decoder-first-pipeline-num-layers", *layers.first);
  if (layers.last) add(settings, "--decoder-last-pipeline-num-layers", *layers.last);
  if (layers.account_for_embedding) add(settings, "--account-for-embedding-in-pipeline-split");
  if (layers.account_for_loss) add(settings, "--account-for-loss-in-pipeline-split");
  if (!interleaved) return;
  if (parallel.group_of_micro_batches() != parallel.pipeline)
    add(settings, "--microbatch-group-size-per-virtual-pipeline-stage",
        parallel.group_of_micro_batches());
  if (!run.overlap.pipeline) add(settings, "--no-overlap-p2p-communication");
}

void add_sharding(const Run& run, Settings& settings) {
  if (run.parallel.sharding == Sharding::optimizer) add(settings, "--use-distributed-optimizer");
  const bool gradients = run.parallel.sharding == Sharding::gradients;
  if (!gradients && run.parallel.sharding != Sharding::parameters) return;
  add(settings, "--use-megatron-fsdp");
  settings.push_back(
      {"--data-parallel-sharding-strategy", gradients ? "optim_grads" : "optim_grads_params"});
  add(settings, "--use-distributed-optimizer");
  settings.push_back({"--ckpt-format", "fsdp_dtensor"});  // the only one it takes
}

void add_precision(const Run& run, Settings& settings) {
  const TrainingConfig& training = run.training;
  const bool fp16 = training.precision == DataType::fp16;
  add(settings, fp16 ? "--fp16" : "--bf16");
  if (training.precision == DataType::fp8) settings.push_back({"--fp8-format", "hybrid"});
  if (training.parameter_dtype == DataType::fp8) add(settings, "--fp8-param-gather");
  if (training.gradient_dtype == DataType::bf16) add(settings, "--grad-reduce-in-bf16");
  if (fp16 && training.gradient_dtype == DataType::fp32)
    add(settings, "--accumulate-allreduce-grads-in-fp32");
  const bool sharded = run.parallel.sharding == Sharding::optimizer;
  if (training.optimizer_dtype == DataType::fp32 || !sharded) return;
  const std::string moments(name_of(training.optimizer_dtype));
  add(settings, "--use-precision-aware-optimizer");
  settings.push_back({"--exp-avg-dtype", moments});
  settings.push_back({"--exp-avg-sq-dtype", moments});
}

void add_recompute(const Recompute& recompute, Settings& settings) {
  add_full_recompute(recompute, settings);
  if (recompute.kind != RecomputeKind::selective) return;
  settings.push_back({"--recompute-granularity", "selective"});
  settings.push_back({"--recompute-modules", fmt::format("{}", fmt::join(recompute.modules, " "))});
}

std::string lines_of(const Settings& arguments) {
  std::string lines;
  for (const auto& [key, value] : arguments) {
    const bool quoted = value.find_first_of("|*()") != std::string::npos;
    const std::string shown = quoted ? "\"" + value + "\"" : value;
    lines += "  " + key + (shown.empty() ? "" : " " + shown) + "\n";
  }
  return lines;
}

}  // namespace

void add_vocabulary_and_positions(const Run& run, Settings& settings) {
  const std::int64_t positions =
      run.model.max_positions > 0 ? run.model.max_positions : run.training.sequence_length;
  add(settings, "--max-position-embeddings", positions);
  settings.push_back({"--tokenizer-type", "NullTokenizer"});
  add(settings, "--vocab-size", run.model.vocabulary - 1);
}

void add_full_recompute(const Recompute& recompute, Settings& settings) {
  if (recompute.kind != RecomputeKind::full) return;
  settings.push_back({"--recompute-granularity", "full"});
  settings.push_back({"--recompute-method", recompute.layers ? "block" : "uniform"});
  add(settings, "--recompute-num-layers", recompute.layers.value_or(1));
}

Launch launch_of(const Run& run) {
  const std::int64_t gpus = run.gpus();
  std::int64_t each = std::min<std::int64_t>(gpus, run.cluster.server.gpus);
  while (gpus % each != 0) --each;
  return {gpus / each, each};
}

bool needs_one_connection(const Run& run) {
  const std::string& gpu = run.cluster.server.gpu;
  const bool blackwell = gpu.starts_with("b") || gpu.starts_with("gb");
  const bool fsdp =
      run.parallel.sharding == Sharding::gradients || run.parallel.sharding == Sharding::parameters;
  return !blackwell && !fsdp && (run.parallel.tensor > 1 || run.parallel.context > 1);
}

Settings megatron_settings(const Run& run) {
  nlohmann::json document = to_json(run);
  document["model"] = to_json(run.model);
  Settings settings = write_rows(megatron_model_rows(), document);
  add_model(run, settings);
  for (Setting& setting : write_rows(megatron_rows(), document))
    settings.push_back(std::move(setting));
  if (run.parallel.order == "tp-cp-ep-pp-dp") add(settings, "--use-tp-pp-dp-mapping");
  add_pipeline(run, settings);
  add_sharding(run, settings);
  add_precision(run, settings);
  add_recompute(run.training.recompute, settings);
  const bool flash = run.training.attention == AttentionKind::flash;
  settings.push_back({"--attention-backend", flash ? "auto" : "unfused"});
  return settings;
}

std::string megatron_script(const Settings& arguments, const Run& run, const std::string& note) {
  const Launch launch = launch_of(run);
  std::string text = fmt::format(
      "#!/usr/bin/env bash\n"
      "# Megatron-LM on {} GPUs, written by stepcast. Arguments of this script are passed on: "
      "data,\n"
      "# learning rate, checkpoints and rotary base are not part of a run.\n"
      "{}{}\n"
      "set -euo pipefail\n\n",
      run.gpus(), note_mark, note);
  if (needs_one_connection(run)) text += "export CUDA_DEVICE_MAX_CONNECTIONS=1\n\n";
  return text +
         fmt::format(
             "arguments=(\n{})\n\n"
             "torchrun --nnodes {} --nproc-per-node {} \\\n"
             "  --node-rank \"${{NODE_RANK:-0}}\" --master-addr \"${{MASTER_ADDR:-localhost}}\""
             " --master-port \"${{MASTER_PORT:-29500}}\" \\\n"
             "  pretrain_gpt.py \"${{arguments[@]}}\" \"$@\"\n",
             lines_of(arguments), launch.nodes, launch.each);
}

}  // namespace stepcast

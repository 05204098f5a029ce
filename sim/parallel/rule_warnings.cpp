#include <fmt/format.h>

#include <algorithm>

#include "sim/parallel/rules.hpp"

namespace stepcast {
namespace {

void warn_of_bubble(const Run& run, std::vector<std::string>& warnings) {
  const std::int64_t pipeline = run.parallel.pipeline;
  const std::int64_t micro_batches = run.micro_batches();
  if (micro_batches >= pipeline) return;
  warnings.push_back(fmt::format(
      "{} micro-batches for {} pipeline stages leave every stage idle for most of the step; raise "
      "training.global_batch or lower parallel.pipeline",
      micro_batches, pipeline));
}

void warn_of_tensor(const Run& run, std::vector<std::string>& warnings) {
  const std::int64_t tensor = run.parallel.tensor;
  const std::int64_t domain = run.cluster.server.nvlink_domain_gpus;
  if (tensor > domain)
    warnings.push_back(fmt::format(
        "parallel.tensor = {} is wider than the NVLink domain of {} GPUs: every layer waits for "
        "the network; keep it at {} or less",
        tensor, domain, domain));
  if (run.model.kv_heads < tensor)
    warnings.push_back(fmt::format(
        "parallel.tensor = {} exceeds the {} KV heads of {}: every layer gathers its QKV output "
        "over the tensor group; keep it at {} or less",
        tensor, run.model.kv_heads, run.model.name, run.model.kv_heads));
  constexpr std::int64_t tile = 64;
  const std::int64_t width = run.model.ffn / tensor;
  if (width % tile != 0)
    warnings.push_back(fmt::format(
        "the MLP slice of a tensor rank is {} wide, not a multiple of {}: its matrix products "
        "waste part of a tile; choose another parallel.tensor",
        width, tile));
}

void warn_of_idle_gpus(const Run& run, std::vector<std::string>& warnings) {
  const std::int64_t gpus = run.cluster.topology.gpu_count();
  if (run.gpus() < gpus)
    warnings.push_back(
        fmt::format("the run uses {} of the {} GPUs of {}; raise parallel.data to use them all",
                    run.gpus(), gpus, run.cluster.name));
}

void warn_of_uneven_stages(const Run& run, std::vector<std::string>& warnings) {
  const StageLayers& rule = run.parallel.stage_layers;
  if (!rule.every.empty() || rule.first || rule.last) return;
  const std::int64_t units =
      run.model.layers + (rule.account_for_embedding ? 1 : 0) + (rule.account_for_loss ? 1 : 0);
  const std::int64_t stages = run.parallel.pipeline * run.parallel.virtual_stages;
  if (units % stages != 0)
    warnings.push_back(fmt::format(
        "{} layers do not divide over {} pipeline chunks: the first {} have one more; say "
        "parallel.stage_layers if they lie otherwise",
        run.model.layers, stages, units % stages));
}

}  // namespace

std::vector<std::string> rule_warnings(const Run& run) {
  std::vector<std::string> warnings;
  warn_of_idle_gpus(run, warnings);
  warn_of_tensor(run, warnings);
  warn_of_bubble(run, warnings);
  warn_of_uneven_stages(run, warnings);
  return warnings;
}

}  // namespace stepcast

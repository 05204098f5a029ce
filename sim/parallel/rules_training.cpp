// Rules about sharding, overlap, recompute and number formats.
#include <fmt/format.h>

#include <algorithm>

#include "sim/parallel/rules_detail.hpp"
#include "sim/parallel/stage_layout.hpp"

namespace stepcast::detail {
namespace {

void check_recompute(const Run& run, Findings& findings) {
  Findings of_layers;
  check_layers(run, of_layers);
  const bool layers_are_valid = of_layers.size() == 0;
  const Recompute& recompute = run.training.recompute;
  const std::string kind(name_of(recompute.kind));
  if (recompute.layers && recompute.kind != RecomputeKind::full)
    findings.add("training.recompute.layers", *recompute.layers,
                 "goes with kind full only, found kind " + kind);
  if (!recompute.modules.empty() && recompute.kind != RecomputeKind::selective)
    findings.add("training.recompute.modules",
                 fmt::format("[{}]", fmt::join(recompute.modules, ", ")),
                 "goes with kind selective only, found kind " + kind);
  if (recompute.kind != RecomputeKind::full || !recompute.layers || !layers_are_valid) return;
  std::int64_t most = 0;
  for (const auto& stage : lay_out_stages(run).stages)
    for (const Chunk& chunk : stage) most = std::max(most, chunk.layers);
  if (*recompute.layers > most)
    findings.add("training.recompute.layers", *recompute.layers,
                 fmt::format("must be at most the {} layers of the largest pipeline chunk", most));
}

bool lacks_fp8(const std::string& gpu) {
  return gpu.starts_with("a100") || gpu.starts_with("v100") || gpu.starts_with("cpu");
}

void check_formats(const Run& run, Findings& findings) {
  const TrainingConfig& training = run.training;
  if (training.precision == DataType::fp8 && lacks_fp8(run.cluster.server.gpu))
    findings.add("training.precision", "fp8",
                 fmt::format("{} has no fp8 units (try bf16, fp16)", run.cluster.server.gpu));
  const DataType wide = training.precision == DataType::fp8 ? DataType::bf16 : training.precision;
  const DataType found = training.parameter_dtype;
  if (found != DataType::fp32 && found != wide && found != training.precision)
    findings.add("training.parameter_dtype", std::string(name_of(found)),
                 fmt::format("does not go with precision {} (try {}, fp32)",
                             name_of(training.precision), name_of(wide)));
}

}  // namespace

void check_sharding(const Run& run, Findings& findings) {
  const ParallelConfig& parallel = run.parallel;
  const std::string sharding(name_of(parallel.sharding));
  const bool beyond_optimizer =
      parallel.sharding == Sharding::gradients || parallel.sharding == Sharding::parameters;
  if (run.framework == Framework::deepspeed && beyond_optimizer && parallel.pipeline > 1)
    findings.add("parallel.sharding", sharding,
                 "DeepSpeed refuses it with parallel.pipeline > 1 (try none, optimizer)");
  if (run.framework == Framework::megatron && parallel.sharding == Sharding::parameters) {
    if (parallel.pipeline > 1 || parallel.expert > 1)
      findings.add("parallel.sharding", sharding,
                   "Megatron-LM's FSDP needs pipeline 1 and expert 1 (try optimizer)");
    if (run.model.tied_embeddings)
      findings.add("parallel.sharding", sharding,
                   fmt::format("Megatron-LM's FSDP needs untied embeddings, those of {} are tied "
                               "(try optimizer)",
                               run.model.name));
  }
}

void check_overlap(const Run& run, Findings& findings) {
  const OverlapConfig& overlap = run.overlap;
  if (overlap.tensor && (run.parallel.tensor == 1 || !run.parallel.sequence_parallel))
    findings.add("overlap.tensor", "true",
                 "needs parallel.tensor > 1 with parallel.sequence_parallel");
  if (run.framework == Framework::torchtitan) return;
  if (overlap.param_gather && run.parallel.sharding == Sharding::none)
    findings.add("overlap.param_gather", "true", "needs parallel.sharding optimizer, found none");
  if (run.framework == Framework::megatron && overlap.param_gather && !overlap.grad_reduce)
    findings.add("overlap.param_gather", "true", "needs overlap.grad_reduce");
}

void check_training(const Run& run, Findings& findings) {
  const Transformer& model = run.model;
  if (model.position == PositionKind::learned && model.max_positions > 0 &&
      run.training.sequence_length > model.max_positions)
    findings.add("training.sequence_length", run.training.sequence_length,
                 fmt::format("must be at most the {} learned positions of {}", model.max_positions,
                             model.name));
  check_recompute(run, findings);
  check_formats(run, findings);
}

}  // namespace stepcast::detail

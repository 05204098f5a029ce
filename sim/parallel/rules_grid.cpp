// Rules about degrees: the world, tensor, context and expert groups, data ranks and their batch.
#include <fmt/format.h>

#include <algorithm>

#include "sim/parallel/rules_detail.hpp"

namespace stepcast::detail {
namespace {

std::int64_t cluster_gpus(const Run& run) { return run.cluster.topology.gpu_count(); }

bool kv_heads_fit(const Run& run, std::int64_t tensor) {
  const std::int64_t kv_heads = run.model.kv_heads;
  if (kv_heads % tensor == 0) return true;
  return run.framework == Framework::megatron && tensor % kv_heads == 0;
}

bool sequence_splits(const Run& run, std::int64_t tensor) {
  if (!run.parallel.sequence_parallel) return true;
  return run.training.sequence_length / run.parallel.context % tensor == 0;
}

bool divides_world(const Run& run, std::int64_t tensor) {
  const std::int64_t group = tensor * run.parallel.pipeline * run.parallel.context;
  return cluster_gpus(run) % group == 0;
}

}  // namespace

std::vector<std::int64_t> valid_tensor_sizes(const Run& run) {
  std::vector<std::int64_t> sizes = divisors(run.model.heads);
  std::erase_if(sizes, [&](std::int64_t tensor) {
    return tensor > run.cluster.server.nvlink_domain_gpus || !kv_heads_fit(run, tensor) ||
           run.model.ffn % tensor != 0 || !sequence_splits(run, tensor) ||
           !divides_world(run, tensor);
  });
  return sizes;
}

void check_world(const Run& run, Findings& findings) {
  const ParallelConfig& parallel = run.parallel;
  const std::int64_t group = model_parallel_size(parallel);
  const std::int64_t gpus = cluster_gpus(run);
  if (group > gpus || gpus % group != 0) {
    findings.add("parallel.tensor * parallel.pipeline * parallel.context", group,
                 fmt::format("must divide the {} GPUs of {}", gpus, run.cluster.name));
  } else if (gpus / group % parallel.data != 0) {
    findings.add("parallel.data", parallel.data,
                 fmt::format("must divide the {} data-parallel ranks that tensor {} * pipeline {} "
                             "* context {} leave of the {} GPUs of {}{}",
                             gpus / group, parallel.tensor, parallel.pipeline, parallel.context,
                             gpus, run.cluster.name, tries(divisors(gpus / group), parallel.data)));
  }
}

void check_tensor(const Run& run, Findings& findings) {
  const std::int64_t tensor = run.parallel.tensor;
  const Transformer& model = run.model;
  const std::string choices = tries(valid_tensor_sizes(run), tensor);
  const auto add = [&](const std::string& rule) {
    findings.add("parallel.tensor", tensor, rule + choices);
  };
  if (model.heads % tensor != 0)
    add(fmt::format("must divide the {} attention heads of {}", model.heads, model.name));
  if (!kv_heads_fit(run, tensor))
    add(fmt::format("must divide the {} KV heads of {}{}", model.kv_heads, model.name,
                    run.framework == Framework::megatron ? " or be a multiple of them" : ""));
  if (model.ffn % tensor != 0)
    add(fmt::format("must divide the MLP width {} of {}", model.ffn, model.name));
  if (!sequence_splits(run, tensor))
    add(fmt::format("must divide sequence_length / context = {} with sequence_parallel",
                    run.training.sequence_length / run.parallel.context));
}

void check_context(const Run& run, Findings& findings) {
  const ParallelConfig& parallel = run.parallel;
  const std::int64_t context = parallel.context;
  if (context == 1) return;
  const std::int64_t sequence = run.training.sequence_length;
  if (sequence % (2 * context) != 0)
    findings.add("training.sequence_length", sequence,
                 fmt::format("must be a multiple of 2 * context = {}{}", 2 * context,
                             try_multiples(2 * context, sequence)));
  if (parallel.context_kind == ContextKind::ulysses &&
      (run.model.heads / parallel.tensor % context != 0 ||
       run.model.kv_heads / parallel.tensor % context != 0))
    findings.add(
        "parallel.context", context,
        fmt::format("must divide the {} attention and {} KV heads of a tensor rank with "
                    "context_kind ulysses",
                    run.model.heads / parallel.tensor, run.model.kv_heads / parallel.tensor));
  if (parallel.context_kind == ContextKind::ring && run.model.sliding_window > 0)
    findings.add("parallel.context_kind", "ring",
                 fmt::format("{} has a sliding window of {}, which needs all_gather or ulysses",
                             run.model.name, run.model.sliding_window));
  if (run.training.attention == AttentionKind::unfused)
    findings.add("training.attention", "unfused",
                 "parallel.context > 1 needs flash attention (try flash)");
}

void check_experts(const Run& run, Findings& findings) {
  const ParallelConfig& parallel = run.parallel;
  if (!run.model.moe) {
    if (parallel.expert > 1)
      findings.add("parallel.expert", parallel.expert,
                   fmt::format("{} has no experts (try 1)", run.model.name));
    return;
  }
  if (run.model.moe->experts % parallel.expert != 0)
    findings.add(
        "parallel.expert", parallel.expert,
        fmt::format("must divide the {} experts of {}{}", run.model.moe->experts, run.model.name,
                    tries(divisors(run.model.moe->experts), parallel.expert)));
  const std::int64_t grid = parallel.expert * parallel.expert_tensor;
  const std::int64_t stage = cluster_gpus(run) / parallel.pipeline;
  if (stage % grid != 0)
    findings.add("parallel.expert * parallel.expert_tensor", grid,
                 fmt::format("must divide the {} ranks of a pipeline stage{}", stage,
                             tries(divisors(std::max<std::int64_t>(stage, 1)), grid)));
  if (parallel.tensor > 1 && !parallel.sequence_parallel)
    findings.add("parallel.sequence_parallel", "false",
                 "a mixture of experts with parallel.tensor > 1 needs it (try true)");
}

void check_batch(const Run& run, Findings& findings) {
  const std::int64_t unit = run.training.micro_batch * run.parallel.data;
  if (run.training.global_batch % unit == 0) return;
  findings.add(
      "training.global_batch", run.training.global_batch,
      fmt::format("must be a multiple of micro_batch {} * data {} = {}{}", run.training.micro_batch,
                  run.parallel.data, unit, try_multiples(unit, run.training.global_batch)));
}

}  // namespace stepcast::detail

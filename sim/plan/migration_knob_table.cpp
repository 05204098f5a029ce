#include "sim/plan/migration_knob_table.hpp"

namespace stepcast::detail {
namespace {

constexpr NumericsClass preserving = NumericsClass::bit_preserving;
constexpr NumericsClass rounding = NumericsClass::rounding;
constexpr NumericsClass statistical = NumericsClass::statistical;

constexpr const char* same_arithmetic =
    "each stage accumulates the same micro-batches in the same order";

const std::vector<KnobRow> degrees{
    {"framework", nullptr, nullptr, nullptr, statistical,
     "other kernels, data loader and random streams"},
    {"framework_release", nullptr, nullptr, nullptr, rounding, "kernels may differ by release"},
    {"cluster", nullptr, nullptr, nullptr, rounding,
     "collectives may choose another algorithm, and another GPU other kernels"},
    {"gpus", "torchrun --nnodes, --nproc-per-node", "torchrun --nnodes, --nproc-per-node",
     "deepspeed --num_nodes, --num_gpus", preserving,
     "nothing by itself: what the added or removed ranks do is in the degrees"},
    {"parallel.tensor", "--tensor-model-parallel-size", "parallelism.tensor_parallel_degree",
     "--tensor-model-parallel-size", rounding,
     "row-parallel linears add their partial sums in other groups"},
    {"parallel.pipeline", "--pipeline-model-parallel-size", "parallelism.pipeline_parallel_degree",
     "--pipeline-model-parallel-size", preserving,
     "each stage accumulates the same micro-batches in the same order; only the partial sums of "
     "the gradient norm, and so the clip factor, round differently"},
    {"parallel.virtual_stages", "--num-virtual-stages-per-pipeline-rank",
     "parallelism.pipeline_parallel_layers_per_stage", nullptr, preserving, same_arithmetic},
    {"parallel.microbatch_group", "--microbatch-group-size-per-virtual-pipeline-stage", nullptr,
     nullptr, preserving, same_arithmetic},
    {"parallel.schedule", nullptr, "parallelism.pipeline_parallel_schedule", nullptr, preserving,
     same_arithmetic},
    {"parallel.stage_layers",
     "--decoder-first-pipeline-num-layers, --decoder-last-pipeline-num-layers, "
     "--account-for-embedding-in-pipeline-split, --account-for-loss-in-pipeline-split",
     "parallelism.pipeline_parallel_first_stage_less_layers, "
     "parallelism.pipeline_parallel_last_stage_less_layers",
     nullptr, preserving, same_arithmetic},
    {"parallel.context", "--context-parallel-size", "parallelism.context_parallel_degree",
     "--ds-sequence-parallel-size", rounding,
     "attention merges partial softmax sums, and gradients are summed over other ranks"},
    {"parallel.context_kind", "--cp-comm-type", "parallelism.context_parallel_rotate_method",
     nullptr, rounding, "attention adds its parts in another order"},
    {"parallel.sequence_parallel", "--sequence-parallel", nullptr, "--sequence-parallel", rounding,
     "reduce-scatter and gather replace the all-reduce, norm gradients are summed over tensor "
     "ranks"},
    {"parallel.expert", "--expert-model-parallel-size", "parallelism.expert_parallel_degree",
     "--moe-expert-parallel-size", rounding, "expert gradients are summed over other ranks"},
    {"parallel.expert_tensor", "--expert-tensor-parallel-size",
     "parallelism.expert_tensor_parallel_degree", nullptr, rounding,
     "experts add their partial sums in other groups"},
    {"parallel.data", nullptr,
     "parallelism.data_parallel_shard_degree, parallelism.data_parallel_replicate_degree", nullptr,
     rounding, "gradients are summed over other ranks and fewer or more micro-batches"},
    {"parallel.sharding", "--use-distributed-optimizer", "parallelism.data_parallel_shard_degree",
     "zero_optimization.stage", rounding, "reduce-scatter replaces the all-reduce"},
    {"parallel.order", "--use-tp-pp-dp-mapping", nullptr, nullptr, rounding,
     "rings visit the ranks in another order"}};

const std::vector<KnobRow> training{
    {"training.sequence_length", "--seq-length", "training.seq_len", nullptr, statistical,
     "documents are cut into other samples"},
    {"training.global_batch", "--global-batch-size", "training.global_batch_size",
     "train_batch_size", statistical,
     "each step averages over another number of samples, and iterations no longer count the same"},
    {"training.micro_batch", "--micro-batch-size", "training.local_batch_size",
     "train_micro_batch_size_per_gpu", rounding,
     "gradients of the same samples are summed in other portions"},
    {"micro_batches", nullptr, nullptr, "gradient_accumulation_steps", rounding,
     "gradients are accumulated in more or fewer additions"},
    {"training.precision", "--bf16, --fp16, --fp8-format", "training.mixed_precision_param",
     "bf16.enabled, fp16.enabled", statistical,
     "activations and weights are rounded to another format in every GEMM"},
    {"training.parameter_dtype", "--fp8-param-gather", "training.dtype", nullptr, rounding,
     "parameters are kept in another format"},
    {"training.gradient_dtype", "--accumulate-allreduce-grads-in-fp32",
     "training.mixed_precision_reduce", "data_types.grad_accum_dtype", rounding,
     "gradients are accumulated and reduced in another format"},
    {"training.optimizer_dtype",
     "--use-precision-aware-optimizer, --exp-avg-dtype, "
     "--exp-avg-sq-dtype",
     nullptr, nullptr, rounding, "moments are kept in another format"},
    {"training.recompute",
     "--recompute-granularity, --recompute-method, --recompute-num-layers, --recompute-modules",
     "activation_checkpoint.mode", "--checkpoint-activations", preserving,
     "the same forward runs again, with its random state replayed"},
    {"training.attention", "--attention-backend", nullptr, "--use-flash-attn", rounding,
     "another kernel adds the same products in another order"},
    {"overlap.grad_reduce", "--overlap-grad-reduce", nullptr, "zero_optimization.overlap_comm",
     preserving, "the same reductions at another time"},
    {"overlap.param_gather", "--overlap-param-gather", nullptr, nullptr, preserving,
     "the same gathers at another time"},
    {"overlap.tensor", "--tp-comm-overlap", "parallelism.enable_async_tensor_parallel", nullptr,
     preserving, "the same transfers beside the GEMMs"},
    {"overlap.pipeline", "--no-overlap-p2p-communication", nullptr, nullptr, preserving,
     "the same messages at another time"},
    {"gradient_bucket", "--ddp-bucket-size", nullptr, "zero_optimization.reduce_bucket_size",
     rounding, "collectives of other sizes may add in another order"},
    {"padded_vocabulary", "--make-vocab-size-divisible-by", nullptr,
     "--make-vocab-size-divisible-by", preserving,
     "padding rows take no part as long as their logits are masked"}};

}  // namespace

const std::vector<KnobRow>& knob_rows() {
  static const std::vector<KnobRow> rows = [] {
    std::vector<KnobRow> all = degrees;
    all.insert(all.end(), training.begin(), training.end());
    return all;
  }();
  return rows;
}

}  // namespace stepcast::detail

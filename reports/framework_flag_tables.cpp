// The tables of framework_flags.hpp, with their sources named there.
#include "reports/framework_flags.hpp"

namespace stepcast {
namespace {

using Form = FlagRow::Form;

// Model arguments that Megatron-DeepSpeed has kept from Megatron-LM.
FlagRows common_model_rows() {
  return {{"model.layers", "--num-layers", Form::count, ""},
          {"model.hidden", "--hidden-size", Form::count, ""},
          {"model.ffn", "--ffn-hidden-size", Form::count, ""},
          {"model.heads", "--num-attention-heads", Form::count, ""},
          {"model.head_dim", "--kv-channels", Form::count, ""},
          {"model.gated_mlp", "--swiglu", Form::present, "false"},
          {"model.tied_embeddings", "--untie-embeddings-and-output-weights", Form::missing, "true"},
          {"model.mlp_bias", "--disable-bias-linear", Form::missing, "true"},
          {"model.hidden_dropout", "--hidden-dropout", Form::number, "0.1"},
          {"model.attention_dropout", "--attention-dropout", Form::number, "0.1"}};
}

FlagRows with(FlagRows rows, const FlagRows& more) {
  rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

FlagRows common_rows() {
  return {{"training.sequence_length", "--seq-length", Form::count, ""},
          {"training.micro_batch", "--micro-batch-size", Form::count, "1"},
          {"training.global_batch", "--global-batch-size", Form::count, ""},
          {"parallel.tensor", "--tensor-model-parallel-size", Form::count, "1"},
          {"parallel.pipeline", "--pipeline-model-parallel-size", Form::count, "1"},
          {"parallel.sequence_parallel", "--sequence-parallel", Form::present, "false"}};
}

}  // namespace

const FlagRows& megatron_model_rows() {
  static const FlagRows rows =
      with(common_model_rows(),
           {{"model.qk_norm", "--qk-layernorm", Form::present, "false"},
            {"model.norm",
             "--normalization",
             Form::word,
             "layer_norm",
             {{"layer_norm", "LayerNorm"}, {"rms_norm", "RMSNorm"}}},
            {"model.position",
             "--position-embedding-type",
             Form::word,
             "learned",
             {{"learned", "learned_absolute"}, {"rotary", "rope"}, {"none", "none"}}}});
  return rows;
}

// Which overlaps are on when nothing is said: gradient reduction, parameter gathering and tensor
// overlap are off, sends and receives of an interleaved pipeline are on (SEMANTICS 4.3, 5.1).
const FlagRows& megatron_rows() {
  static const FlagRows rows = with(
      common_rows(), {{"parallel.context", "--context-parallel-size", Form::count, "1"},
                      {"parallel.context_kind",
                       "--cp-comm-type",
                       Form::word,
                       "ring",
                       {{"ring", "p2p"},
                        {"all_gather", "all_gather"},
                        {"ulysses", "a2a"},
                        {"hierarchical", "a2a+p2p"}}},
                      {"parallel.expert", "--expert-model-parallel-size", Form::count, "1"},
                      {"overlap.grad_reduce", "--overlap-grad-reduce", Form::present, "false"},
                      {"overlap.param_gather", "--overlap-param-gather", Form::present, "false"},
                      {"overlap.tensor", "--tp-comm-overlap", Form::present, "false"}});
  return rows;
}

const FlagRows& torchtitan_rows() {
  static const FlagRows rows{
      {"parallel.tensor", "parallelism.tensor_parallel_degree", Form::count, "1"},
      {"parallel.pipeline", "parallelism.pipeline_parallel_degree", Form::count, "1"},
      {"parallel.context", "parallelism.context_parallel_degree", Form::count, "1"},
      {"parallel.context_kind",
       "parallelism.context_parallel_rotate_method",
       Form::word,
       "all_gather",
       {{"all_gather", "allgather"}, {"ring", "alltoall"}}},
      {"parallel.expert", "parallelism.expert_parallel_degree", Form::count, "1"},
      {"parallel.expert_tensor", "parallelism.expert_tensor_parallel_degree", Form::count, "1"},
      {"parallel.schedule",
       "parallelism.pipeline_parallel_schedule",
       Form::word,
       "1f1b",
       {{"1f1b", "1F1B"},
        {"gpipe", "GPipe"},
        {"interleaved", "Interleaved1F1B"},
        {"bfs", "LoopedBFS"},
        {"zb-h1", "InterleavedZeroBubble"},
        {"zb-v", "ZBVZeroBubble"},
        {"dualpipev", "DualPipeV"}}},
      {"overlap.tensor", "parallelism.enable_async_tensor_parallel", Form::boolean, "false"},
      {"training.sequence_length", "training.seq_len", Form::count, "2048"},
      {"training.parameter_dtype",
       "training.dtype",
       Form::word,
       "fp32",
       {{"fp32", "float32"}, {"bf16", "bfloat16"}}}};
  return rows;
}

const FlagRows& deepspeed_model_rows() {
  static const FlagRows rows =
      with(common_model_rows(), {{"model.kv_heads", "--num-key-value-heads", Form::count, ""},
                                 {"model.norm",
                                  "--normalization",
                                  Form::word,
                                  "layer_norm",
                                  {{"layer_norm", "layernorm"}, {"rms_norm", "rmsnorm"}}}});
  return rows;
}

const FlagRows& deepspeed_rows() {
  static const FlagRows rows =
      with(common_rows(),
           {{"parallel.context", "--ds-sequence-parallel-size", Form::count, "1"},
            {"parallel.expert", "--moe-expert-parallel-size", Form::count, "1"},
            {"training.global_batch", "train_batch_size", Form::count, ""},
            {"training.micro_batch", "train_micro_batch_size_per_gpu", Form::count, ""},
            {"training.gradient_dtype",
             "data_types.grad_accum_dtype",
             Form::word,
             "",
             {{"fp32", "fp32"}, {"bf16", "bf16"}, {"fp16", "fp16"}}},
            {"overlap.grad_reduce", "zero_optimization.overlap_comm", Form::boolean, "false"}});
  return rows;
}

}  // namespace stepcast

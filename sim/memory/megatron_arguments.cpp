#include "sim/memory/megatron_arguments.hpp"

#include <set>
#include <utility>

namespace stepcast {
namespace {

constexpr double mebibyte = 1048576.0;

bool names(const MegatronCase& job, const char* part) {
  return job.name.find(part) != std::string::npos;
}

std::string text(const MegatronCase& job, const char* key, const char* otherwise = "") {
  const auto found = job.arguments.find(key);
  return found == job.arguments.end() ? otherwise : found->second;
}

bool flag(const MegatronCase& job, const char* key) { return job.arguments.count(key) > 0; }

std::int64_t integer(const MegatronCase& job, const char* key, std::int64_t otherwise) {
  const auto found = job.arguments.find(key);
  return found == job.arguments.end() ? otherwise
                                      : static_cast<std::int64_t>(std::stod(found->second));
}

// A gated MLP without a width: 8/3 of the hidden size, in multiples of 64 (arguments.py).
std::int64_t default_ffn(std::int64_t hidden, bool gated) {
  return gated ? (4 * hidden * 2 / 3) / 64 * 64 : 4 * hidden;
}

std::int64_t vocabulary(const MegatronCase& job) {
  const std::string tokenizer = text(job, "tokenizer-type");
  if (tokenizer == "GPTSentencePieceTokenizer") return 256000;
  const std::int64_t size = integer(job, "vocab-size", 50257);
  return tokenizer == "NullTokenizer" ? size + 1 : size;
}

Transformer transformer_of(const MegatronCase& job) {
  Transformer model;
  model.name = job.name;
  model.layers = integer(job, "num-layers", 0);
  model.hidden = integer(job, "hidden-size", 0);
  model.heads = integer(job, "num-attention-heads", 1);
  model.kv_heads =
      flag(job, "group-query-attention") ? integer(job, "num-query-groups", 1) : model.heads;
  model.head_dim = integer(job, "kv-channels", model.hidden / model.heads);
  model.gated_mlp = flag(job, "swiglu");
  model.ffn = integer(job, "ffn-hidden-size", default_ffn(model.hidden, model.gated_mlp));
  model.vocabulary = vocabulary(job);
  const bool rotary = text(job, "position-embedding-type", "learned_absolute") == "rope";
  model.position = rotary ? PositionKind::rotary : PositionKind::learned;
  model.max_positions = integer(job, "max-position-embeddings", integer(job, "seq-length", 0));
  model.norm = text(job, "normalization", "LayerNorm") == "RMSNorm" ? NormKind::rms_norm
                                                                    : NormKind::layer_norm;
  model.tied_embeddings = !flag(job, "untie-embeddings-and-output-weights");
  const bool bias = !flag(job, "disable-bias-linear");
  model.qkv_bias = model.attention_output_bias = model.mlp_bias = bias;
  model.qk_norm = names(job, "qk_layernorm");
  const bool dropout = integer(job, "context-parallel-size", 1) == 1 && !names(job, "release");
  model.hidden_dropout = model.attention_dropout = dropout ? 0.1 : 0.0;
  return model;
}

ContextKind context_kind_of(const MegatronCase& job) {
  const std::string kind = text(job, "cp-comm-type", "p2p");
  if (kind == "a2a") return ContextKind::ulysses;
  if (kind == "a2a+p2p") return ContextKind::hierarchical;
  return kind == "all_gather" ? ContextKind::all_gather : ContextKind::ring;
}

ParallelConfig parallel_of(const MegatronCase& job) {
  ParallelConfig parallel;
  parallel.tensor = integer(job, "tensor-model-parallel-size", 1);
  parallel.pipeline = integer(job, "pipeline-model-parallel-size", 1);
  parallel.context = integer(job, "context-parallel-size", 1);
  parallel.data = world_size(job) / (parallel.tensor * parallel.pipeline * parallel.context);
  parallel.sequence_parallel = flag(job, "sequence-parallel") && parallel.tensor > 1;
  parallel.context_kind = context_kind_of(job);
  parallel.sharding = flag(job, "use-distributed-optimizer") ? Sharding::optimizer : Sharding::none;
  if (flag(job, "num-layers-per-virtual-pipeline-stage"))
    parallel.virtual_stages = integer(job, "num-layers", 0) / parallel.pipeline /
                              integer(job, "num-layers-per-virtual-pipeline-stage", 1);
  parallel.virtual_stages =
      integer(job, "num-virtual-stages-per-pipeline-rank", parallel.virtual_stages);
  if (parallel.virtual_stages > 1) parallel.schedule = ScheduleKind::interleaved;
  if (names(job, "tunable_overlap")) parallel.microbatch_group = 5;
  if (flag(job, "decoder-first-pipeline-num-layers"))
    parallel.stage_layers.first = integer(job, "decoder-first-pipeline-num-layers", 0);
  if (flag(job, "decoder-last-pipeline-num-layers"))
    parallel.stage_layers.last = integer(job, "decoder-last-pipeline-num-layers", 0);
  parallel.stage_layers.account_for_embedding =
      flag(job, "account-for-embedding-in-pipeline-split");
  parallel.stage_layers.account_for_loss = flag(job, "account-for-loss-in-pipeline-split");
  return parallel;
}

TrainingConfig training_of(const MegatronCase& job) {
  TrainingConfig training;
  training.sequence_length = integer(job, "seq-length", 0);
  // Release cases ramp the batch up from 384 (step-batch-size-schedule).
  training.global_batch = integer(job, "global-batch-size", 384);
  training.micro_batch = integer(job, "micro-batch-size", 1);
  if (flag(job, "fp16")) {
    training.precision = training.parameter_dtype = training.gradient_dtype = DataType::fp16;
  }
  if (flag(job, "fp8-format")) training.precision = DataType::fp8;
  if (flag(job, "fp8-param-gather")) training.parameter_dtype = DataType::fp8;
  if (flag(job, "grad-reduce-in-bf16")) training.gradient_dtype = DataType::bf16;
  if (text(job, "recompute-granularity") == "full") training.recompute.kind = RecomputeKind::full;
  if (text(job, "recompute-granularity") == "selective")
    training.recompute.kind = RecomputeKind::selective;
  const bool unfused = text(job, "attention-backend") == "unfused" ||
                       text(job, "transformer-impl", "transformer_engine") == "local";
  training.attention = unfused ? AttentionKind::unfused : AttentionKind::flash;
  return training;
}

}  // namespace

std::optional<std::string> out_of_scope(const MegatronCase& job) {
  if (flag(job, "num-experts")) return "mixture of experts";
  if (flag(job, "multi-latent-attention")) return "latent attention";
  if (flag(job, "use-megatron-fsdp")) return "Megatron FSDP";
  if (names(job, "distill")) return "a teacher model runs beside it";
  return std::nullopt;
}

bool is_stale(const MegatronCase& job) {
  if (job.name == "gpt3_15b_8t_release_sm_gb200") return job.platform != "dgx_gb200";
  static const std::set<std::string> unfused_values{
      "gpt3_mcore_te_tp1_pp1_frozen_resume_torch_dist_dist_optimizer",
      "gpt3_mcore_te_tp1_pp1_resume_torch_dist_dist_optimizer_no_mmap_bin_files",
      "gpt3_mcore_te_tp1_pp4_frozen_resume_torch_dist_swiglu",
      "gpt3_mcore_te_tp1_pp4_resume_torch_dist_disable_bias_linear",
      "gpt3_mcore_te_tp1_pp4_resume_torch_dist_sequence_parallel",
      "gpt3_mcore_te_tp1_pp4_resume_torch_dist_swiglu",
      "gpt3_mcore_te_tp1_pp4_vp1_resume_torch_dist",
      "gpt3_mcore_te_tp2_pp2_resume_torch_dist_no_mmap_bin_files"};
  return job.environment == "lts" && unfused_values.count(job.name) > 0;
}

std::int64_t world_size(const MegatronCase& job) {
  if (job.world_size) return *job.world_size;
  if (names(job, "15b_8t_release"))
    return integer(job, "tensor-model-parallel-size", 1) == 8 ? 256 : 128;
  return names(job, "_1node") && job.platform == "dgx_gb200" ? 4 : 8;
}

Run run_of(const MegatronCase& job, Cluster cluster) {
  return Run{.model = transformer_of(job),
             .cluster = std::move(cluster),
             .profile = {},
             .framework = Framework::megatron,
             .framework_release = "megatron-core",
             .parallel = parallel_of(job),
             .training = training_of(job),
             .overlap = {},
             .warnings = {}};
}

MemoryRules rules_of(const MegatronCase& job, const Run& run, const DeviceFacts& device) {
  MemoryRules rules = memory_rules_for(run, device);
  const bool deterministic = flag(job, "deterministic-mode");
  if (deterministic) rules.cublas_workspace = Bytes{32 * mebibyte};  // :4096:8
  rules.transformer_engine = text(job, "transformer-impl", "transformer_engine") != "local";
  if (!rules.transformer_engine) rules.engine_workspaces = 0;
  if (flag(job, "tp-comm-overlap")) rules.engine_workspaces += 3;
  rules.gradient_accumulation_fusion = !flag(job, "no-gradient-accumulation-fusion");
  if (job.environment == "lts" || !rules.transformer_engine)
    rules.dummy_weight_gradients = rules.dummy_head_gradient = false;
  rules.cross_entropy = CrossEntropy::unfused;
  if (flag(job, "cross-entropy-loss-fusion"))
    rules.cross_entropy = text(job, "cross-entropy-fusion-impl", "native") == "te"
                              ? CrossEntropy::engine_fused
                              : CrossEntropy::native_fused;
  // FlashAttention where asked for, on A100, and on Blackwell in deterministic mode; else cuDNN.
  const bool blackwell = device.compute_capability >= 10.0;
  rules.flash_layout_copy = text(job, "attention-backend") == "flash" ||
                            device.compute_capability < 9.0 || (blackwell && deterministic);
  rules.attention_mask = !names(job, "no_create_attention_mask");
  rules.masked_softmax_fusion = !names(job, "uninstall_te");
  rules.optimizer_instances = integer(job, "num-distributed-optimizer-instances", 1);
  if (names(job, "defer_embedding_wgrad")) rules.deferred_head_gradients = 2;
  return rules;
}

}  // namespace stepcast

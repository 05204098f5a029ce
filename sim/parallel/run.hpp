#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/data_type.hpp"
#include "models/transformer.hpp"
#include "topologies/cluster.hpp"

namespace stepcast {

enum class Framework { megatron, torchtitan, deepspeed };
enum class ScheduleKind {
  gpipe,
  one_f_one_b,
  interleaved,
  zb_h1,
  zb_v,
  dualpipe,
  dualpipev,
  bfs,
  actions
};
enum class ContextKind { ring, all_gather, ulysses, hierarchical };
enum class Sharding { none, optimizer, gradients, parameters, hybrid };
enum class RecomputeKind { none, selective, full };
enum class AttentionKind { flash, unfused };

struct Recompute {
  RecomputeKind kind = RecomputeKind::none;
  // full: layers of each chunk that are recomputed; nullopt: all.
  std::optional<std::int64_t> layers;
  // selective: what is recomputed (core_attn, layernorm, mlp).
  std::vector<std::string> modules;
  friend bool operator==(const Recompute&, const Recompute&) = default;
};

// Layers of the first and last pipeline stage, or of every stage; absent: even.
struct StageLayers {
  std::vector<std::int64_t> every;  // one a stage, or empty
  std::optional<std::int64_t> first, last;
  // Count the embedding, or the head and loss, as one layer when dividing (Megatron's
  // account_for_*).
  bool account_for_embedding = false;
  bool account_for_loss = false;
  friend bool operator==(const StageLayers&, const StageLayers&) = default;
};

struct ParallelConfig {
  std::int64_t tensor = 1, pipeline = 1, context = 1, data = 1;
  std::int64_t expert = 1, expert_tensor = 1;
  std::int64_t virtual_stages = 1;
  std::int64_t microbatch_group =
      0;  // interleaved: micro-batches per virtual stage; 0: pipeline size
  bool sequence_parallel = false;
  ScheduleKind schedule = ScheduleKind::one_f_one_b;
  ContextKind context_kind = ContextKind::ring;
  Sharding sharding = Sharding::none;
  std::string order = "tp-cp-ep-dp-pp";  // fastest first
  StageLayers stage_layers;
  std::string actions_file;  // of ScheduleKind::actions

  [[nodiscard]] std::int64_t group_of_micro_batches() const {
    return microbatch_group == 0 ? pipeline : microbatch_group;
  }
};

struct TrainingConfig {
  std::int64_t sequence_length = 0, global_batch = 0, micro_batch = 1;
  DataType precision = DataType::bf16;  // of activations and GEMMs
  DataType parameter_dtype = DataType::bf16;
  DataType gradient_dtype = DataType::fp32;   // of accumulation and reduction
  DataType optimizer_dtype = DataType::fp32;  // of the moments; the master copy is fp32
  Recompute recompute;
  AttentionKind attention = AttentionKind::flash;
};

struct OverlapConfig {
  bool grad_reduce = false, param_gather = false, tensor = false, pipeline = false;
};

// A checked run: every default is resolved here. Products of degrees are safe: parse_run bounds
// each.
struct Run {
  Transformer model;
  Cluster cluster;
  std::string profile{};  // preset name or path
  Framework framework = Framework::megatron;
  std::string framework_release{};  // names a record of sim/program/framework_rules.hpp
  ParallelConfig parallel{};
  TrainingConfig training{};
  OverlapConfig overlap{};
  std::vector<std::string> warnings{};
  // JSON text of the members `model` and `cluster` as they were given, so that a run can be written
  // again; empty: their names say it all.
  std::string model_source{}, cluster_source{};

  [[nodiscard]] std::int64_t gpus() const {
    return parallel.tensor * parallel.pipeline * parallel.context * parallel.data;
  }
  [[nodiscard]] std::int64_t micro_batches() const {
    return training.global_batch / (training.micro_batch * parallel.data);
  }
  // Tokens of one micro-batch on one rank (after the context split).
  [[nodiscard]] std::int64_t tokens_per_rank() const {
    return training.sequence_length * training.micro_batch / parallel.context;
  }
  // Rows of the word embedding: a multiple of 128 * tensor under Megatron-LM and Megatron-DeepSpeed
  // (megatron/training/vocab_utils.py), the vocabulary itself under torchtitan.
  [[nodiscard]] std::int64_t padded_vocabulary() const;
};

[[nodiscard]] std::string_view name_of(Framework value);
[[nodiscard]] std::string_view name_of(ScheduleKind value);
[[nodiscard]] std::string_view name_of(ContextKind value);
[[nodiscard]] std::string_view name_of(Sharding value);
[[nodiscard]] std::string_view name_of(RecomputeKind value);
[[nodiscard]] std::string_view name_of(AttentionKind value);

}  // namespace stepcast

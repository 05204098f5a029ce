#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "sim/memory/memory_rules.hpp"
#include "sim/parallel/run.hpp"

namespace stepcast {

// A training job as Megatron-LM's functional tests describe it: its command line, and where it ran.
struct MegatronCase {
  std::string name;                              // "gpt3_mcore_te_tp2_pp2_resume_torch_dist"
  std::string platform;                          // "dgx_a100", "dgx_h100" or "dgx_gb200"
  std::string environment;                       // "dev", or "lts": the older container
  std::map<std::string, std::string> arguments;  // without dashes; a flag's value is "true"
  std::optional<std::int64_t> world_size;
};

// Why the case is outside dense GPT training, or nullopt.
[[nodiscard]] std::optional<std::string> out_of_scope(const MegatronCase& job);

// Published rows that contradict their own arguments (MEMORY_EXACT 6.3): "lts" values of an earlier
// run with unfused attention under cases that select fused, and another layout's numbers.
[[nodiscard]] bool is_stale(const MegatronCase& job);

// Ranks of a case that does not say: 8, or 4 of one GB200 node ("_1node"); of the release cases the
// one power of two that their measured static memory allows (MEMORY_EXACT 6.4).
[[nodiscard]] std::int64_t world_size(const MegatronCase& job);

// The run that the arguments ask for on `cluster`, by Megatron's defaults (dropout 0.1, learned
// positions, biases, vocabulary 50257). What the published argument lists leave out is read from
// the case's name as its model_config.yaml has it: no dropout with context parallelism and in
// release cases. Source: NVIDIA/Megatron-LM megatron/training/arguments.py,
// tests/functional_tests/test_cases (d98e8a6).
[[nodiscard]] Run run_of(const MegatronCase& job, Cluster cluster);

// The memory rules of its release with what the arguments change (MEMORY_EXACT 10).
[[nodiscard]] MemoryRules rules_of(const MegatronCase& job, const Run& run,
                                   const DeviceFacts& device);

}  // namespace stepcast

#pragma once

#include <string>

#include "reports/foreign_settings.hpp"
#include "sim/parallel/run.hpp"

namespace stepcast {

// The run as Megatron-LM's arguments; what has no argument is left out (export_run.hpp finds out).
// The vocabulary is that of a NullTokenizer, which stands for any tokenizer of the same size.
[[nodiscard]] Settings megatron_settings(const Run& run);

// A launch script: environment, arguments and one torchrun a node. `note` is one line of JSON.
[[nodiscard]] std::string megatron_script(const Settings& arguments, const Run& run,
                                          const std::string& note);

// How the ranks are started: `each` on every one of `nodes` servers.
struct Launch {
  std::int64_t nodes = 1, each = 1;
};
[[nodiscard]] Launch launch_of(const Run& run);

// Megatron-LM asks for CUDA_DEVICE_MAX_CONNECTIONS=1 with tensor or context parallelism before
// Blackwell, and against it under FSDP. Source: validate_args in arguments.py.
[[nodiscard]] bool needs_one_connection(const Run& run);

// Parts that Megatron-DeepSpeed shares.
void add_vocabulary_and_positions(const Run& run, Settings& settings);
void add_full_recompute(const Recompute& recompute, Settings& settings);

}  // namespace stepcast

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sim/parallel/run.hpp"

namespace stepcast {

// Reads a stepcast.run document (CONTRACT "Run"), resolves every default and checks it: shape and
// range first, then the rules across fields (rules.hpp, scope.hpp). Throws InputError with all
// problems of the stage that failed. `file` names it in messages. Members `name` and `comment` at
// the top are for people.
//
// Defaults are those of the framework's own command line or configuration, not of a recipe:
//   cluster's GPU -> profile; data: GPUs / (tensor * pipeline * context); micro_batch 1;
//   global_batch: micro_batch * data; sequence_length: the model's max_positions if it has one.
//   megatron, deepspeed: sequence_parallel off, sharding none, overlap off (Megatron-LM
//   megatron/training/arguments.py; DeepSpeed runtime/zero/config.py), stages even.
//   torchtitan: sequence_parallel with tensor > 1, sharding parameters (FSDP), gradient reduction
//   and parameter gathers overlapped, fp32 parameters, embedding and head counted as a layer each
//   when stages are divided (torchtitan config/job_config.py, models/llama3/infra/parallelize.py).
//   all: schedule 1f1b, or interleaved when virtual_stages > 1, then with overlap.pipeline on;
//   parameters in the training precision (bf16 with fp8); gradients accumulated in fp32, in fp16
//   with fp16 (SEMANTICS 5.2); fp32 moments; selective recompute of core_attn.
[[nodiscard]] Run parse_run(const std::string& file, nlohmann::json document);

// The same without the rules about degrees, stages and batches, for a search that tries them: what
// remains wrong at any degree is a problem (the model, the sequence, the number formats).
[[nodiscard]] Run parse_search_base(const std::string& file, nlohmann::json document);

// `document` with members set: "parallel.tensor=4" (the value is JSON, or else text). Missing
// objects on the way are made. Throws InputError naming each assignment that cannot be done.
[[nodiscard]] nlohmann::json with_overrides(nlohmann::json document,
                                            const std::vector<std::string>& assignments);

// Everything resolved, in the form that parse_run reads.
[[nodiscard]] nlohmann::json to_json(const Run& run);

}  // namespace stepcast

#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "reports/foreign_settings.hpp"

namespace stepcast {

enum class ReadModel { no, yes };

// The run document of Megatron-LM's arguments on `gpus` ranks, every field set: what the arguments
// leave out has Megatron's own default. The model is an object of its shape, or left out.
// Source: NVIDIA/Megatron-LM megatron/training/arguments.py (d98e8a6).
[[nodiscard]] nlohmann::json megatron_document(ForeignSettings& arguments, std::int64_t gpus,
                                               ReadModel model);

// Ranks that the launcher's arguments ask for: --nnodes times --nproc-per-node (torchrun), or
// --num-nodes times --num-gpus (deepspeed).
[[nodiscard]] std::optional<std::int64_t> launched_gpus(ForeignSettings& arguments);

// Parts that Megatron-DeepSpeed shares.
void read_vocabulary(ForeignSettings& arguments, nlohmann::json& model);
void read_positions(ForeignSettings& arguments, nlohmann::json& document);
void read_full_recompute(ForeignSettings& arguments, nlohmann::json& document);
void require_shape(ForeignSettings& arguments, nlohmann::json& model);

}  // namespace stepcast

#pragma once

#include <string>

#include "reports/foreign_settings.hpp"

namespace stepcast {

// A YAML recipe as Megatron-LM's arguments: NeMo's keys (model.tensor_model_parallel_size,
// trainer.num_nodes, optim.overlap_grad_sync) by their meaning, any other leaf by its name
// (seq_length is --seq-length; false and null mean absent), so recipes that hold Megatron-LM's own
// names are read too. "${...}" is not resolved; such a key counts as absent. Throws InputError with
// the line of a syntax error. Source: NVIDIA/NeMo-Framework-Launcher launcher_scripts/conf/training
// (26e42fa).
[[nodiscard]] Settings read_nemo(const std::string& file, const std::string& text);

}  // namespace stepcast

#pragma once

#include <string>

#include "reports/foreign_settings.hpp"
#include "sim/parallel/run.hpp"

namespace stepcast {

// The run under Megatron-DeepSpeed: settings of DeepSpeed's JSON ("zero_optimization.stage") and
// arguments of the launcher line ("--num-layers").
[[nodiscard]] Settings deepspeed_settings(const Run& run);

// DeepSpeed's JSON, called `path` on the launcher line. Its member "stepcast", which DeepSpeed does
// not read, holds that line and the note.
[[nodiscard]] std::string deepspeed_json(const Settings& settings, const Run& run,
                                         const std::string& note, const std::string& path);
[[nodiscard]] std::string deepspeed_launcher(const Settings& settings, const Run& run,
                                             const std::string& path);

}  // namespace stepcast

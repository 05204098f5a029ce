#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "reports/foreign_settings.hpp"
#include "reports/import_megatron.hpp"

namespace stepcast {

// What a DeepSpeed file holds: JSON members as "zero_optimization.stage", and the arguments of a
// launcher line. The file is the JSON, or a script whose here-document is the JSON. `note` receives
// the member "stepcast" of the JSON. Throws InputError with the line of a syntax error.
[[nodiscard]] Settings read_deepspeed(const std::string& file, const std::string& text,
                                      nlohmann::json& note);

// The run document of a DeepSpeed configuration under Megatron-DeepSpeed on `gpus` ranks. "auto"
// and what only a launcher line says stay out when there is none. Source: deepspeedai/DeepSpeed
// runtime/config.py; deepspeedai/Megatron-DeepSpeed megatron/arguments.py (f4157be).
[[nodiscard]] nlohmann::json deepspeed_document(ForeignSettings& settings, std::int64_t gpus,
                                                ReadModel model);

}  // namespace stepcast

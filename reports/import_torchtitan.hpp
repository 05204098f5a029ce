#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "reports/foreign_settings.hpp"

namespace stepcast {

// The settings of a TOML file as "section.key"; elements of a list are joined by blanks. Older
// places of a setting (training.batch_size, experimental.pipeline_parallel_degree) have their
// present name. Throws InputError with the line of a syntax error.
[[nodiscard]] Settings read_toml(const std::string& file, const std::string& text);

// The run document of a torchtitan configuration on `gpus` ranks, every field set. `model` stands
// in for [model] when it is not null. Source: pytorch/torchtitan config/job_config.py,
// distributed/pipeline_parallel.py (238fa99).
[[nodiscard]] nlohmann::json torchtitan_document(ForeignSettings& settings, std::int64_t gpus,
                                                 const nlohmann::json& model);

}  // namespace stepcast

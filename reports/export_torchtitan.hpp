#pragma once

#include <string>

#include "reports/foreign_settings.hpp"
#include "sim/parallel/run.hpp"

namespace stepcast {

// The run as torchtitan settings "section.key"; ZeRO-1 and ZeRO-2 become FSDP that keeps gathered
// parameters, the nearest there is (export_run.hpp names what is lost).
[[nodiscard]] Settings torchtitan_settings(const Run& run);

// A job configuration; the launcher line, which calls it `path`, and the note are comments.
[[nodiscard]] std::string torchtitan_toml(const Settings& settings, const Run& run,
                                          const std::string& note, const std::string& path);

}  // namespace stepcast

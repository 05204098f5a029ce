#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <variant>

#include "sim/parallel/run.hpp"

namespace stepcast {

// A row of published_runs.json as a run, or the reason why it cannot be forecast. Which release's
// rules apply, what "overlap: unknown" means and which NICs a machine has follow from the row's
// framework, date and interconnect by fixed rules, never by row; docs/accuracy.md lists them.
[[nodiscard]] std::variant<Run, std::string> published_run(const nlohmann::json& row);

// The row as a stepcast.run document; same reasons.
[[nodiscard]] std::variant<nlohmann::json, std::string> published_run_document(
    const nlohmann::json& row);

}  // namespace stepcast

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sim/parallel/run.hpp"

namespace stepcast {

// Reads a stepcast.run document (CONTRACT "Run"), resolves every default and checks it: shape and
// range first, then the rules across fields (rules.hpp). Throws InputError with all problems of the
// stage that failed. `file` names it in messages.
[[nodiscard]] Run parse_run(const std::string& file, nlohmann::json document);

// `document` with members set: "parallel.tensor=4" (the value is JSON, or else text). Throws
// InputError.
[[nodiscard]] nlohmann::json with_overrides(nlohmann::json document,
                                            const std::vector<std::string>& assignments);

// Everything resolved, in the form that parse_run reads.
[[nodiscard]] nlohmann::json to_json(const Run& run);

}  // namespace stepcast

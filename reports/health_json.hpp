#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "reports/health.hpp"

namespace stepcast {

// A stepcast.health document, version 1 (schemas/health.json); bandwidths in bytes/s. `cluster` and
// `profile` are names, for its provenance.
[[nodiscard]] nlohmann::json to_json(const Health& health, const std::string& cluster,
                                     const Profile& profile);

}  // namespace stepcast

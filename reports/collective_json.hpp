#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "reports/collective.hpp"

namespace stepcast {

// A stepcast.collective document, version 1 (schemas/collective.json). `cluster` and `profile` are
// names, for its provenance.
[[nodiscard]] nlohmann::json to_json(const std::vector<CollectiveRow>& rows,
                                     const std::string& cluster, const Profile& profile);

}  // namespace stepcast

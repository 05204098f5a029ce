#pragma once

#include <nlohmann/json_fwd.hpp>

#include "reports/score.hpp"

namespace stepcast {

// A stepcast.score document, version 1 (schemas/score.json).
[[nodiscard]] nlohmann::json to_json(const Score& score);

}  // namespace stepcast

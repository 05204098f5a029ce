#pragma once

#include <nlohmann/json_fwd.hpp>

#include "common/units.hpp"

namespace stepcast {

// Whole bytes as an integer ("85899345920", not "85899345920.0"), others as they are.
[[nodiscard]] nlohmann::json bytes_json(Bytes bytes);

}  // namespace stepcast

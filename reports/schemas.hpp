#pragma once

#include <vector>

#include "common/files.hpp"

namespace stepcast {

// The JSON Schemas of our documents ("prediction", "comparison", ...), compiled in from
// reports/schemas.
[[nodiscard]] const std::vector<EmbeddedFile>& embedded_schemas();

}  // namespace stepcast

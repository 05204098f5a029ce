#pragma once

#include <string>
#include <vector>

#include "sim/plan/migration.hpp"

namespace stepcast {

// What to do, in order, with this case's flags and numbers. Reads everything of the migration but
// its checklist.
[[nodiscard]] std::vector<std::string> migration_checklist(const Migration& migration,
                                                           const Run& from, const Run& to);

}  // namespace stepcast

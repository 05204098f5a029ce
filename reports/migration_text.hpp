#pragma once

#include <string>

#include "reports/migration_json.hpp"

namespace stepcast {

// The migration for a terminal: what it costs and gains, what changes, what must be read, the
// verdicts, and the checklist.
[[nodiscard]] std::string migration_text(const MigrationReport& report);
// GitHub Markdown.
[[nodiscard]] std::string migration_markdown(const MigrationReport& report);

}  // namespace stepcast

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "common/errors.hpp"
#include "sim/plan/migration.hpp"

namespace stepcast {

// What a migration was asked about: two files, and what is wrong with them.
struct MigrationReport {
  std::string from, to;  // as people call them
  std::vector<Problem> from_problems, to_problems;
  std::optional<Migration> migration;  // none: a side breaks a rule
};

// A stepcast.migration document, version 1 (schemas/migration.json). Of an invalid side there is
// nothing to compare: lists are empty and what is unknown is null. `read_bytes_per_rank` and
// `remote_bytes_per_rank` are those of the rank with the most, `delta` is after minus before;
// `reads` and `forecast` hold the whole.
[[nodiscard]] nlohmann::json to_json(const MigrationReport& report);

}  // namespace stepcast

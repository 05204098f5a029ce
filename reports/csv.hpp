#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace stepcast {

// One data line by column name; `line` counts from 1 and includes the header.
struct CsvRow {
  std::int64_t line = 0;
  std::map<std::string, std::string> cells;
  // "" when the column is absent.
  [[nodiscard]] std::string text(const std::string& column) const;
  // nullopt when absent, empty or not a finite number.
  [[nodiscard]] std::optional<double> number(const std::string& column) const;
  // A whole number from 1 to 2^53; 0 for everything else.
  [[nodiscard]] std::int64_t count(const std::string& column) const;
};

struct CsvTable {
  std::vector<std::string> columns;
  std::vector<CsvRow> rows;
  [[nodiscard]] bool has(const std::vector<std::string>& names) const;
};

// Comma-separated text with a header line; fields may be quoted ("" inside quotes is a quote), line
// ends may be CR LF. Throws InputError naming each line whose number of fields differs from the
// header's.
[[nodiscard]] CsvTable parse_csv(const std::string& file, const std::string& text);

}  // namespace stepcast

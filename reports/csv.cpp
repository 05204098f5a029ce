#include "reports/csv.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <utility>

#include "common/csv_records.hpp"
#include "common/errors.hpp"

namespace stepcast {

std::string CsvRow::text(const std::string& column) const {
  const auto found = cells.find(column);
  return found == cells.end() ? "" : found->second;
}

std::optional<double> CsvRow::number(const std::string& column) const {
  const std::string cell = text(column);
  try {
    std::size_t used = 0;
    const double value = std::stod(cell, &used);
    if (used == cell.size() && std::isfinite(value)) return value;
  } catch (const std::exception&) {
  }
  return std::nullopt;
}

std::int64_t CsvRow::count(const std::string& column) const {
  constexpr double exact = 9007199254740992.0;  // 2^53
  const double value = number(column).value_or(0.0);
  if (!(value >= 1.0) || value > exact || std::trunc(value) != value) return 0;
  return static_cast<std::int64_t>(value);
}

bool CsvTable::has(const std::vector<std::string>& names) const {
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return std::find(columns.begin(), columns.end(), name) != columns.end();
  });
}

CsvTable parse_csv(const std::string& file, const std::string& text) {
  CsvTable table;
  std::vector<Problem> problems;
  const std::vector<CsvRecord> records = split_csv(file, text, problems);
  if (!records.empty()) table.columns = records.front().cells;
  for (std::size_t i = 1; i < records.size(); ++i) {
    const std::vector<std::string>& fields = records[i].cells;
    const auto line = static_cast<std::int64_t>(records[i].line);
    if (fields.size() != table.columns.size()) {
      problems.push_back({file, "line " + std::to_string(line),
                          "has " + std::to_string(fields.size()) + " fields, the header has " +
                              std::to_string(table.columns.size())});
      continue;
    }
    CsvRow row{line, {}};
    for (std::size_t column = 0; column < fields.size(); ++column)
      row.cells[table.columns[column]] = fields[column];
    table.rows.push_back(std::move(row));
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return table;
}

}  // namespace stepcast

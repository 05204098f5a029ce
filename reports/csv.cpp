#include "reports/csv.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <utility>

#include "common/errors.hpp"

namespace stepcast {

namespace {

// Splits text into records; a quoted field may hold commas, quotes and line ends.
class Splitter {
 public:
  explicit Splitter(const std::string& text) : text_(text) {}

  [[nodiscard]] bool done() const { return at_ >= text_.size(); }
  [[nodiscard]] std::int64_t line() const { return line_; }

  std::vector<std::string> next_record() {
    std::vector<std::string> fields(1);
    while (!done()) {
      const char c = text_[at_++];
      if (c == '\n') {
        ++line_;
        break;
      }
      if (c == ',') {
        fields.emplace_back();
      } else if (c == '"') {
        read_quoted(fields.back());
      } else if (c != '\r') {
        fields.back() += c;
      }
    }
    return fields;
  }

 private:
  void read_quoted(std::string& field) {
    while (!done()) {
      const char c = text_[at_++];
      if (c == '\n') ++line_;
      if (c != '"') {
        field += c;
      } else if (!done() && text_[at_] == '"') {
        field += text_[at_++];
      } else {
        return;
      }
    }
  }

  const std::string& text_;
  std::size_t at_ = 0;
  std::int64_t line_ = 1;
};

}  // namespace

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
  Splitter splitter(text);
  table.columns = splitter.next_record();
  while (!splitter.done()) {
    const std::int64_t line = splitter.line();
    std::vector<std::string> fields = splitter.next_record();
    if (fields.size() == 1 && fields[0].empty()) continue;
    if (fields.size() != table.columns.size()) {
      problems.push_back({file, "line " + std::to_string(line),
                          "has " + std::to_string(fields.size()) + " fields, the header has " +
                              std::to_string(table.columns.size())});
      continue;
    }
    CsvRow row{line, {}};
    for (std::size_t i = 0; i < fields.size(); ++i) row.cells[table.columns[i]] = fields[i];
    table.rows.push_back(std::move(row));
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return table;
}

}  // namespace stepcast

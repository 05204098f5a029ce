#include "calibrate/csv.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "common/csv_records.hpp"
#include "common/files.hpp"

namespace stepcast::calibrate {
namespace {

std::optional<double> number(const std::string& text) {
  double value = 0.0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

void CsvRow::Shared::add(Problem problem) {
  if (std::find(problems.begin(), problems.end(), problem) == problems.end())
    problems.push_back(std::move(problem));
}

void CsvRow::problem(const std::string& column, const std::string& message) const {
  shared_->add({shared_->file, "line " + std::to_string(line_) + ", column " + column, message});
}

std::string CsvRow::text(const std::string& column) const {
  const auto found = shared_->columns.find(column);
  if (found != shared_->columns.end()) return cells_[found->second];
  shared_->add({shared_->file, "line 1", "column " + column + " is missing"});
  return "";
}

bool CsvRow::empty(const std::string& column) const { return text(column).empty(); }

double CsvRow::positive(const std::string& column) const {
  const std::string cell = text(column);
  const std::optional<double> value = number(cell);
  if (value && *value > 0.0) return *value;
  if (shared_->columns.contains(column))
    problem(column, "must be a number > 0, found \"" + cell + "\"");
  return 1.0;
}

std::int64_t CsvRow::count(const std::string& column) const {
  const std::string cell = text(column);
  const std::optional<double> value = number(cell);
  if (value && *value >= 1.0 && *value < 9e15 && std::trunc(*value) == *value)
    return static_cast<std::int64_t>(*value);
  if (shared_->columns.contains(column))
    problem(column, "must be a whole number >= 1, found \"" + cell + "\"");
  return 1;
}

std::optional<double> CsvRow::positive_if_given(const std::string& column) const {
  if (empty(column)) return std::nullopt;
  return positive(column);
}

CsvTable::CsvTable(const std::filesystem::path& path) : CsvTable(path.string(), read_file(path)) {}

CsvTable::CsvTable(const std::string& file, const std::string& text)
    : shared_(std::make_shared<CsvRow::Shared>()) {
  shared_->file = file;
  const std::vector<CsvRecord> records = split_csv(file, text, shared_->problems);
  if (records.empty()) {
    shared_->add({file, "", "is empty, expected a header line"});
    return;
  }
  const std::vector<std::string>& header = records.front().cells;
  for (std::size_t i = 0; i < header.size(); ++i)
    if (!shared_->columns.emplace(header[i], i).second)
      shared_->add({file, "line 1", "column " + header[i] + " is named twice"});
  for (std::size_t i = 1; i < records.size(); ++i) {
    if (records[i].cells.size() != header.size()) {
      shared_->add({file, "line " + std::to_string(records[i].line),
                    "must have " + std::to_string(header.size()) + " cells, found " +
                        std::to_string(records[i].cells.size())});
      continue;
    }
    CsvRow row;
    row.shared_ = shared_;
    row.line_ = records[i].line;
    row.cells_ = records[i].cells;
    rows_.push_back(std::move(row));
  }
}

void CsvTable::require(const std::vector<std::string>& columns) {
  for (const std::string& column : columns)
    if (!shared_->columns.contains(column))
      shared_->add({shared_->file, "line 1", "column " + column + " is missing"});
}

}  // namespace stepcast::calibrate

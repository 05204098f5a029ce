#include "calibrate/csv.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "common/files.hpp"

namespace stepcast::calibrate {
namespace {

struct Record {
  std::size_t line = 0;  // where it starts
  std::vector<std::string> cells;
};

// Splits text into records. Reports a quote that is never closed.
class Splitter {
 public:
  Splitter(const std::string& text, std::vector<Problem>& problems, std::string file)
      : text_(text), problems_(problems), file_(std::move(file)) {}

  std::vector<Record> split() {
    std::vector<Record> records;
    while (at_ < text_.size()) {
      Record record = next();
      const bool blank = record.cells.size() == 1 && record.cells.front().empty();
      if (!blank) records.push_back(std::move(record));
    }
    return records;
  }

 private:
  Record next() {
    Record record{line_, {}};
    while (true) {
      record.cells.push_back(peek() == '"' ? quoted() : plain());
      if (peek() != ',') break;
      ++at_;
    }
    if (peek() == '\r') ++at_;
    if (peek() == '\n') {
      ++at_;
      ++line_;
    }
    return record;
  }

  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  std::string plain() {
    const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
    std::string cell = text_.substr(at_, end - at_);
    at_ = end;
    return cell;
  }

  std::string quoted() {
    const std::size_t opened = line_;
    std::string cell;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] != '"') {
        cell += text_[at_];
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        cell += text_[at_++];
      } else {
        ++at_;
        return cell + plain();  // text after the closing quote is kept
      }
    }
    problems_.push_back({file_, "line " + std::to_string(opened), "a quoted cell is never closed"});
    return cell;
  }

  const std::string& text_;
  std::vector<Problem>& problems_;
  std::string file_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

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
  const std::vector<Record> records = Splitter(text, shared_->problems, file).split();
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

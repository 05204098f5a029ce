#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/errors.hpp"

namespace stepcast::calibrate {

// One row of a CSV file. A getter that fails records a problem at "line 12, column m" and returns a
// harmless value; a column that the file does not have is reported once, for the header.
class CsvRow {
 public:
  [[nodiscard]] std::string text(const std::string& column) const;
  [[nodiscard]] bool empty(const std::string& column) const;
  [[nodiscard]] double positive(const std::string& column) const;
  [[nodiscard]] std::int64_t count(const std::string& column) const;  // whole number >= 1
  // nullopt when the cell is empty.
  [[nodiscard]] std::optional<double> positive_if_given(const std::string& column) const;
  void problem(const std::string& column, const std::string& message) const;

 private:
  friend class CsvTable;
  struct Shared {
    std::string file;
    std::map<std::string, std::size_t> columns;
    std::vector<Problem> problems;
    void add(Problem problem);
  };
  std::shared_ptr<Shared> shared_;
  std::size_t line_ = 0;
  std::vector<std::string> cells_;
};

// A CSV file as in RFC 4180: a header line, quoted cells with doubled quotes, LF or CRLF. Lines
// with another number of cells than the header are reported and left out.
class CsvTable {
 public:
  // Throws EnvironmentError when the file cannot be read.
  explicit CsvTable(const std::filesystem::path& path);
  CsvTable(const std::string& file, const std::string& text);
  [[nodiscard]] const std::vector<CsvRow>& rows() const { return rows_; }
  [[nodiscard]] const std::vector<Problem>& problems() const { return shared_->problems; }
  // Reports columns that are missing.
  void require(const std::vector<std::string>& columns);

 private:
  std::shared_ptr<CsvRow::Shared> shared_;
  std::vector<CsvRow> rows_;
};

}  // namespace stepcast::calibrate

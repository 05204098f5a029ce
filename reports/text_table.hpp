#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stepcast {

enum class Align { left, right };

struct Column {
  std::string header;  // with its unit: "time (us)"
  Align align = Align::right;
};

// A plain-text table for people: columns as wide as their widest cell, two spaces apart, no
// trailing blanks.
class TextTable {
 public:
  explicit TextTable(std::vector<Column> columns);
  // Precondition: one cell a column.
  void add_row(std::vector<std::string> cells);
  [[nodiscard]] std::string str() const;
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  [[nodiscard]] std::vector<std::string> headers() const;
  [[nodiscard]] const std::vector<std::vector<std::string>>& rows() const { return rows_; }

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Three significant digits for people: 14.66 -> "14.7", 12345 -> "12300", 0 -> "0". Outside
// [1e-4, 1e7) in scientific form; "-" for what is not finite.
[[nodiscard]] std::string three_digits(double value);
// 0.0345 -> "3.45": percent, without the sign.
[[nodiscard]] std::string percent(double share);
// Signed: "+3.45" or "-3.45".
[[nodiscard]] std::string signed_percent(double share);
[[nodiscard]] std::string gib(double bytes);  // three digits, in GiB

// "a, b and c".
[[nodiscard]] std::string join_words(const std::vector<std::string>& words);
[[nodiscard]] std::string join(const std::vector<std::string>& words, std::string_view separator);

}  // namespace stepcast

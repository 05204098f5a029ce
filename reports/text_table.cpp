#include "reports/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/errors.hpp"

namespace stepcast {

namespace {

// Columns that a UTF-8 text takes on a terminal (no wide characters are used here).
std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

std::string padded(const std::string& text, std::size_t width, Align align) {
  const std::size_t have = display_width(text);
  const std::string blanks(width > have ? width - have : 0, ' ');
  return align == Align::left ? text + blanks : blanks + text;
}

}  // namespace

TextTable::TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

void TextTable::add_row(std::vector<std::string> cells) {
  STEPCAST_CHECK(cells.size() == columns_.size());
  rows_.push_back(std::move(cells));
}

std::vector<std::string> TextTable::headers() const {
  std::vector<std::string> headers;
  for (const Column& column : columns_) headers.push_back(column.header);
  return headers;
}

std::string TextTable::str() const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = display_width(columns_[c].header);
    for (const auto& row : rows_) width = std::max(width, display_width(row[c]));
    widths.push_back(width);
  }
  std::string out;
  const auto add_line = [&](const auto& cell_of) {
    std::string line;
    for (std::size_t c = 0; c < columns_.size(); ++c)
      line += (c == 0 ? "" : "  ") + padded(cell_of(c), widths[c], columns_[c].align);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  };
  add_line([&](std::size_t c) { return columns_[c].header; });
  for (const auto& row : rows_) add_line([&](std::size_t c) { return row[c]; });
  return out;
}

std::string three_digits(double value) {
  if (!std::isfinite(value)) return "-";
  if (value == 0.0) return "0";
  const std::string rounded_text = fmt::format("{:.2e}", value);
  const double rounded = std::stod(rounded_text);
  const double size = std::fabs(rounded);
  if (size >= 1e7 || size < 1e-4) return rounded_text;
  const int exponent = static_cast<int>(std::floor(std::log10(size) + 1e-9));
  return fmt::format("{:.{}f}", rounded, std::max(0, 2 - exponent));
}

std::string percent(double share) { return three_digits(share * 100.0); }

std::string signed_percent(double share) {
  return (share > 0.0 ? "+" : "") + three_digits(share * 100.0);
}

std::string gib(double bytes) { return three_digits(bytes / 1073741824.0); }

std::string join(const std::vector<std::string>& words, std::string_view separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

std::string join_words(const std::vector<std::string>& words) {
  if (words.size() < 2) return join(words, "");
  return join({words.begin(), words.end() - 1}, ", ") + " and " + words.back();
}

}  // namespace stepcast

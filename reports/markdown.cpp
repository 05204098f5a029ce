#include "reports/markdown.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "common/errors.hpp"

namespace stepcast {

namespace {

// Starts as a number does, or says that there is none.
bool numeric(const std::string& cell) {
  const std::size_t sign = cell.starts_with("+") || cell.starts_with("-") ? 1 : 0;
  return cell == "-" ||
         (cell.size() > sign && std::isdigit(static_cast<unsigned char>(cell[sign])));
}

bool all_numeric(const std::vector<std::vector<std::string>>& rows, std::size_t column) {
  return !rows.empty() && std::all_of(rows.begin(), rows.end(),
                                      [&](const auto& row) { return numeric(row[column]); });
}

std::string line(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (const std::string& cell : cells) out += " " + cell + " |";
  return out + "\n";
}

std::vector<std::string> escaped(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = markdown_text(cell);
  return cells;
}

}  // namespace

std::string markdown_text(const std::string& text) {
  static constexpr std::string_view markup = "\\`*_{}[]<>#|~$&!";
  std::string out;
  for (const char c : text) {
    if (markup.find(c) != std::string_view::npos) out += '\\';
    if (c == '\n' || c == '\r' || c == '\t')
      out += ' ';
    else if (static_cast<unsigned char>(c) >= 0x20 && c != '\x7f')
      out += c;
    if (c == '@') out += "\u200b";  // zero-width space: no mention
  }
  return out;
}

std::string markdown_table(const std::vector<std::string>& headers,
                           const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::string> alignment;
  for (std::size_t column = 0; column < headers.size(); ++column)
    alignment.emplace_back(column > 0 && all_numeric(rows, column) ? "---:" : "---");
  std::string out = line(escaped(headers)) + line(alignment);
  for (const auto& row : rows) {
    STEPCAST_CHECK(row.size() == headers.size());
    out += line(escaped(row));
  }
  return out;
}

}  // namespace stepcast

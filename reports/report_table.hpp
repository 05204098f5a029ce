#pragma once

#include <string>
#include <vector>

namespace stepcast {

// A table of a report, to be written as plain text or as Markdown. The first column is text, the
// others are figures.
struct ReportTable {
  std::vector<std::string> headers;
  std::vector<std::vector<std::string>> rows;  // one cell a header
};

// Aligned columns; "" without rows.
[[nodiscard]] std::string plain_text(const ReportTable& table);
// A GitHub table, cells escaped; "" without rows.
[[nodiscard]] std::string markdown(const ReportTable& table);

}  // namespace stepcast

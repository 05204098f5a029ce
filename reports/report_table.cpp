#include "reports/report_table.hpp"

#include <utility>

#include "reports/markdown.hpp"
#include "reports/text_table.hpp"

namespace stepcast {

std::string plain_text(const ReportTable& table) {
  std::vector<Column> columns;
  for (const std::string& header : table.headers)
    columns.push_back({header, columns.empty() ? Align::left : Align::right});
  TextTable out(std::move(columns));
  for (const auto& row : table.rows) out.add_row(row);
  return out.empty() ? "" : out.str();
}

std::string markdown(const ReportTable& table) {
  return table.rows.empty() ? "" : markdown_table(table.headers, table.rows);
}

}  // namespace stepcast

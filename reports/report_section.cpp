#include "reports/report_section.hpp"

#include "reports/markdown.hpp"

namespace stepcast {

namespace {

bool empty(const ReportSection& section) {
  return section.lines.empty() && section.table.empty() && section.remarks.empty();
}

}  // namespace

std::string plain_text(const std::vector<ReportSection>& sections) {
  std::string out;
  for (const ReportSection& section : sections) {
    if (empty(section)) continue;
    if (!out.empty()) out += "\n";
    if (!section.title.empty()) out += section.title + "\n";
    for (const std::string& line : section.lines) out += line + "\n";
    if (!section.table.empty()) out += section.table.str();
    for (const std::string& remark : section.remarks) out += "  " + remark + "\n";
  }
  return out;
}

std::string markdown(const std::vector<ReportSection>& sections) {
  std::string out;
  const auto separate = [&] { out += out.empty() ? "" : "\n"; };
  for (const ReportSection& section : sections) {
    if (empty(section)) continue;
    if (!section.title.empty()) {
      separate();
      out += "### " + markdown_text(section.title) + "\n";
    }
    for (const std::string& line : section.lines) {
      separate();
      out += markdown_text(line) + "\n";
    }
    if (!section.table.empty()) {
      separate();
      out += markdown_table(section.table.headers(), section.table.rows());
    }
    if (!section.remarks.empty()) separate();
    for (const std::string& remark : section.remarks) out += "- " + markdown_text(remark) + "\n";
  }
  return out;
}

}  // namespace stepcast

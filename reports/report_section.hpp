#pragma once

#include <string>
#include <vector>

#include "reports/text_table.hpp"

namespace stepcast {

// A titled part of a report, to be written as plain text or as Markdown; what is empty is left out.
struct ReportSection {
  std::string title = {};  // "" for the opening
  std::vector<std::string> lines = {};
  TextTable table = TextTable({});
  std::vector<std::string> remarks = {};  // on the table, or a list
};

// For a terminal: an empty line between sections.
[[nodiscard]] std::string plain_text(const std::vector<ReportSection>& sections);
// GitHub Markdown, all of it escaped.
[[nodiscard]] std::string markdown(const std::vector<ReportSection>& sections);

}  // namespace stepcast

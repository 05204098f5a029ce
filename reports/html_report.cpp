#include "reports/html_report.hpp"

#include <nlohmann/json.hpp>

#include "common/errors.hpp"

namespace stepcast {

namespace {

// JSON as the content of a <script> element: "<" can only stand inside a string of JSON, where the
// escape means the same, so that neither "</script>" nor "<!--" ends or changes the element.
std::string script_text(const nlohmann::json& document) {
  const std::string json = document.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string_view html_reports_missing() { return STEPCAST_HTML_MISSING; }

std::string html_report(const std::vector<nlohmann::json>& documents) {
  STEPCAST_CHECK(!embedded_html_template().empty());
  constexpr std::string_view slot = "<script type=\"application/json\" id=\"documents\">[";
  const std::string_view page = embedded_html_template().front().text;
  const std::size_t at = page.find(slot);
  STEPCAST_CHECK(at != std::string_view::npos);
  std::string out(page.substr(0, at + slot.size()));
  for (const nlohmann::json& document : documents) {
    if (&document != &documents.front()) out += ",\n";
    out += script_text(document);
  }
  out += page.substr(at + slot.size());
  return out;
}

}  // namespace stepcast

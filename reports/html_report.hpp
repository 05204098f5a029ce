#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "common/files.hpp"

namespace stepcast {

// One HTML file that opens without a network: the page of reports/html with these stepcast
// documents in it. Each gets a section by its "format" (a timeline joins the prediction before it);
// a format that the page does not know is listed. The documents are data there, never markup: no
// name in them can become a tag or a script.
// Precondition: html_reports_missing() is empty.
[[nodiscard]] std::string html_report(const std::vector<nlohmann::json>& documents);

// Why this build writes no HTML reports; "" when it does.
[[nodiscard]] std::string_view html_reports_missing();

// The page as Vite made it, or nothing in a build without Node.
[[nodiscard]] const std::vector<EmbeddedFile>& embedded_html_template();

}  // namespace stepcast

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/console.hpp"

namespace stepcast::cli {

// Whether `path` could be written, before the work that fills it: its folder exists and lets us
// write, and it is no folder itself. "" and "-" always can. Throws EnvironmentError.
void check_writable(const std::string& path);

// A document and its text for people, as `--json FILE|-` asks: "-" writes the document alone to
// stdout, a file name writes it there and the text to stdout, "" the text alone.
void write_result(const nlohmann::json& document, const std::string& text,
                  const std::string& json_path, Console& console);

// Whether `--html path` can be answered, before the work that fills it: `path` could be written and
// this build has HTML reports. Throws InputError or EnvironmentError.
void check_html(const std::string& path);

// Writes the documents as one page (reports/html_report.hpp); "" writes nothing.
void write_html(const std::vector<nlohmann::json>& documents, const std::string& path);

}  // namespace stepcast::cli

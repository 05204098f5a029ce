#include "cli/output.hpp"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>
#include <system_error>

#include "common/errors.hpp"
#include "common/files.hpp"
#include "reports/html_report.hpp"
#include "reports/prediction_json.hpp"

namespace stepcast::cli {

namespace fs = std::filesystem;

void check_writable(const std::string& path) {
  if (path.empty() || path == "-") return;
  const auto refuse = [&](int error) {
    throw EnvironmentError("cannot write " + path + ": " + std::generic_category().message(error));
  };
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) refuse(EISDIR);
  const bool in_place = fs::exists(path, ignored) && !fs::is_regular_file(path, ignored);
  const fs::path parent = fs::path(path).parent_path();
  const std::string target = in_place ? path : parent.empty() ? "." : parent.string();
  if (!in_place && fs::exists(target, ignored) && !fs::is_directory(target, ignored))
    refuse(ENOTDIR);
  if (access(target.c_str(), W_OK) != 0) refuse(errno);
}

void check_html(const std::string& path) {
  if (path.empty()) return;
  if (path == "-") throw InputError(Problem{"", "--html", "must be a file, found \"-\""});
  if (!html_reports_missing().empty())
    throw InputError(Problem{
        "", "--html", "this build has no HTML reports: " + std::string(html_reports_missing())});
  check_writable(path);
}

void write_html(const std::vector<nlohmann::json>& documents, const std::string& path) {
  if (!path.empty()) write_file_atomically(path, html_report(documents));
}

void write_result(const nlohmann::json& document, const std::string& text,
                  const std::string& json_path, Console& console) {
  if (json_path == "-") {
    console.out << document_text(document);
    return;
  }
  if (!json_path.empty()) write_file_atomically(json_path, document_text(document));
  console.out << text;
}

}  // namespace stepcast::cli

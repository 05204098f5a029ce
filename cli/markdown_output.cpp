#include "cli/markdown_output.hpp"

#include "cli/output.hpp"
#include "common/errors.hpp"
#include "common/files.hpp"

namespace stepcast::cli {

void check_markdown(const std::string& path, const std::string& json_path) {
  if (path == "-" && json_path == "-")
    throw InputError(Problem{"", "--markdown", "only one of --json and --markdown can be \"-\""});
  check_writable(path);
}

std::string with_markdown(const std::string& text, const std::string& markdown,
                          const std::string& path) {
  if (path == "-") return markdown;
  if (!path.empty()) write_file_atomically(path, markdown);
  return text;
}

}  // namespace stepcast::cli

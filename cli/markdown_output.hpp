#pragma once

#include <string>

namespace stepcast::cli {

// Whether `--markdown path` can be answered beside `--json json_path`, before the work that fills
// it. Throws InputError or EnvironmentError.
void check_markdown(const std::string& path, const std::string& json_path);

// Writes `markdown` to the file `path`, if it is one. Returns what people get on stdout: `markdown`
// for "-", otherwise `text`.
[[nodiscard]] std::string with_markdown(const std::string& text, const std::string& markdown,
                                        const std::string& path);

}  // namespace stepcast::cli

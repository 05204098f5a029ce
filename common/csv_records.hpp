#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/errors.hpp"

namespace stepcast {

// One record of a CSV text.
struct CsvRecord {
  std::size_t line = 0;  // where it starts, from 1
  std::vector<std::string> cells;
};

// Comma-separated text as in RFC 4180: quoted cells with doubled quotes, which may hold commas and
// line ends; LF or CRLF; blank lines are left out. A quote that is never closed is added to
// `problems`.
[[nodiscard]] std::vector<CsvRecord> split_csv(const std::string& file, const std::string& text,
                                               std::vector<Problem>& problems);

}  // namespace stepcast

#pragma once

#include <iosfwd>

namespace stepcast::cli {

// Where a command writes: results to `out`, everything else to `err`.
struct Console {
  std::ostream& out;
  std::ostream& err;
  bool colour = false;  // `out` is a terminal and NO_COLOR is not set
};

// Exit codes of every command.
inline constexpr int answered = 0;
inline constexpr int nothing_feasible = 1;
inline constexpr int failed = 2;

}  // namespace stepcast::cli

#pragma once

#include <string>

namespace stepcast {

// JSON as Python's json module writes it: the bare words NaN, Infinity and -Infinity, which JSON
// does not know, become null. Text without them comes back as it is.
[[nodiscard]] std::string with_python_numbers(const std::string& text);

}  // namespace stepcast

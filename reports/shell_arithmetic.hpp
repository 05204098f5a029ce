#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace stepcast {

// The value of a shell's "$((...))": whole numbers, names with or without "$", + - * / % and
// parentheses. `value_of` gives a variable's text. nullopt when it holds anything else, a name
// without a number, a division by zero, or leaves 2^53.
[[nodiscard]] std::optional<std::int64_t> shell_arithmetic(
    const std::string& expression,
    const std::function<std::optional<std::string>(const std::string&)>& value_of);

}  // namespace stepcast

#include "models/python_json.hpp"

#include <string_view>

namespace stepcast {

std::string with_python_numbers(const std::string& text) {
  std::string result;
  result.reserve(text.size());
  bool in_string = false;
  for (std::size_t i = 0; i < text.size();) {
    if (!in_string) {
      const std::string_view rest = std::string_view(text).substr(i);
      std::size_t length = 0;
      for (const std::string_view word : {"NaN", "Infinity", "-Infinity"})
        if (rest.starts_with(word)) length = word.size();
      if (length > 0) {
        result += "null";
        i += length;
        continue;
      }
    }
    const bool escape = in_string && text[i] == '\\' && i + 1 < text.size();
    if (text[i] == '"') in_string = !in_string;
    result.append(text, i, escape ? 2 : 1);
    i += escape ? 2 : 1;
  }
  return result;
}

}  // namespace stepcast

#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace stepcast {

// Leaves of a document by path, as text: {"a": {"b": [1, "x"]}} gives a.b[0] = 1, a.b[1] = x.
// Empty objects and arrays and nulls are left out.
[[nodiscard]] std::map<std::string, std::string> flatten(const nlohmann::json& document);

}  // namespace stepcast

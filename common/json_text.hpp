#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "common/errors.hpp"

namespace stepcast {

// Parses one JSON document. Throws InputError if `text` is not JSON (at "line 3, column 14";
// columns count bytes) or is nested more than 512 levels deep. A key written twice in one object
// becomes a problem; the last value counts.
[[nodiscard]] nlohmann::json parse_json(const std::string& file, const std::string& text,
                                        std::vector<Problem>& problems);

// A value as a message shows it: "\"text\"", "2.5", "null", "an object", "an array"; long text is
// cut.
[[nodiscard]] std::string shown(const nlohmann::json& value);

// "parallel" and "tensor" give "parallel.tensor"; a key that is not a plain word gives
// "parallel[\"a.b\"]".
[[nodiscard]] std::string member_path(const std::string& path, const std::string& key);
[[nodiscard]] std::string element_path(const std::string& path, std::size_t index);

}  // namespace stepcast

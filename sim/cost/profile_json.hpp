#pragma once

#include <string>

#include "common/json_node.hpp"
#include "sim/cost/profile.hpp"

namespace stepcast {

// A stepcast.profile document, version 1 (docs/profiles.md). Throws InputError with every problem;
// `file` names the document in messages. Times are seconds, sizes bytes.
[[nodiscard]] Profile parse_profile(const std::string& file, const std::string& text);

// The same for a document inside another one: problems go to the node's reader.
[[nodiscard]] Profile parse_profile(const Node& root);

// The document of a profile: sorted keys, one table row a line, shortest numbers that read back
// the same; the same profile gives the same bytes.
[[nodiscard]] std::string profile_text(const Profile& profile);

}  // namespace stepcast

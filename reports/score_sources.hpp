#pragma once

#include <string>

namespace stepcast {

// The family that a published row's "source" text belongs to: rows of one publication and kind of
// measurement, averaged together. Known papers get a short name, repositories theirs
// ("owner/name"), others the text up to the first place that tells rows apart (" row ", " (").
[[nodiscard]] std::string source_family(const std::string& source);

}  // namespace stepcast

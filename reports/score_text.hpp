#pragma once

#include <string>

#include "reports/score.hpp"

namespace stepcast {

// Error table by source and metric, ranking within groups, the worst rows of each source, and the
// skipped rows counted by reason.
[[nodiscard]] std::string score_text(const Score& score);

}  // namespace stepcast

#pragma once

#include <string>

#include "reports/sweep.hpp"

namespace stepcast {

// A row a point, with a bar as long as its tokens/s/GPU; why points have no forecast or do not fit;
// the knee and the best point in a sentence.
[[nodiscard]] std::string sweep_text(const InputSweep& sweep);
// The same in GitHub Markdown, for a pull request.
[[nodiscard]] std::string sweep_markdown(const InputSweep& sweep);

}  // namespace stepcast

#pragma once

#include <string>
#include <vector>

#include "reports/comparison.hpp"

namespace stepcast {

// What is compared, the tables of comparison_tables(), the verdict and the notes.
[[nodiscard]] std::string comparison_text(const Comparison& comparison,
                                          const std::vector<Forecast>& forecasts);
// The same in GitHub Markdown, for a pull request; the verdict comes first.
[[nodiscard]] std::string comparison_markdown(const Comparison& comparison,
                                              const std::vector<Forecast>& forecasts);

}  // namespace stepcast

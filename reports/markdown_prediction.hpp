#pragma once

#include <string>

#include "reports/forecast.hpp"

namespace stepcast {

// The prediction in GitHub Markdown, for a pull request: configuration, main figures, time of the
// critical stage by term, memory of the fullest stage by part, warnings.
[[nodiscard]] std::string prediction_markdown(const Forecast& forecast);

}  // namespace stepcast

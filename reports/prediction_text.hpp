#pragma once

#include <string>

#include "reports/forecast.hpp"

namespace stepcast {

enum class ShowInputs { no, yes };
// Colour of a verdict by ANSI escape codes: for terminals only.
enum class Colour { no, yes };

struct TextOptions {
  ShowInputs inputs = ShowInputs::no;
  Colour colour = Colour::no;
};

// The prediction for people: headline, configuration, time by stage, communication, memory by
// stage, where the costs come from, warnings. Three significant digits; units stand in the headers.
[[nodiscard]] std::string prediction_text(const Forecast& forecast, const TextOptions& options);

// "fits: 61.2 of 79.1 GiB, 17.9 GiB (22.6 %) free on stage 0".
[[nodiscard]] std::string memory_sentence(const Prediction& prediction);

}  // namespace stepcast

#pragma once

#include <string>

#include "sim/predict/prediction.hpp"

namespace stepcast {

// Seconds of each term by stage, and its mean share of the step. Beyond eight stages: the first,
// the one that waits least, the last, and minimum, mean and maximum over all.
[[nodiscard]] std::string breakdown_table(const Prediction& prediction);

// GiB by stage and part; beyond eight stages the first, the fullest and the last.
[[nodiscard]] std::string memory_table(const Prediction& prediction);

// What is alive when the fullest stage peaks, largest first, at most `most` entries.
[[nodiscard]] std::string alive_table(const Prediction& prediction, std::size_t most);

}  // namespace stepcast

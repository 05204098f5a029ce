#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reports/forecast.hpp"

namespace stepcast {

// An input that is not the same in all forecasts: its value in each as text, nullopt where absent.
struct InputChange {
  std::string path;
  std::vector<std::optional<std::string>> values;
};

// By path. A cluster "dgx-h100:8" beside one that is an object counts as its server and nodes.
[[nodiscard]] std::vector<InputChange> inputs_changed(const std::vector<Forecast>& forecasts);

// Pairs whose P10-P90 intervals of tokens/s/GPU overlap: for the same work on as many GPUs, those
// of the step time.
[[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> overlapping_pairs(
    const std::vector<Forecast>& forecasts);

// What a reader must know before trusting the ranking, a sentence each: intervals that overlap,
// hardware or models that differ.
[[nodiscard]] std::vector<std::string> comparison_notes(
    const std::vector<InputChange>& changed,
    const std::vector<std::pair<std::size_t, std::size_t>>& overlapping);

}  // namespace stepcast

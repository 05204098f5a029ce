#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "reports/comparison_inputs.hpp"
#include "reports/forecast.hpp"

namespace stepcast {

// Part of a difference: seconds of a step, or bytes, by the metric's unit.
struct DifferenceTerm {
  std::string name;
  double value = 0.0;
  friend bool operator==(const DifferenceTerm&, const DifferenceTerm&) = default;
};

// One metric over all predictions. `terms` explain values[to] - values[from] and sum to it; they
// are empty where a metric has no parts.
struct Difference {
  std::string metric;
  std::vector<double> values;
  std::size_t from = 0, to = 0;
  std::vector<DifferenceTerm> terms;  // largest first
};

struct Comparison {
  std::vector<Difference> differences;
  std::vector<std::size_t> ranking;  // best first
  std::vector<std::size_t> pareto;   // by index
  std::vector<InputChange> inputs_changed;
  std::vector<std::pair<std::size_t, std::size_t>> overlapping;  // P10-P90 intervals, by index
  std::string verdict;             // which is best and why, in a sentence
  std::vector<std::string> notes;  // comparison_notes
  bool any_fits = false;
};

// Ranks by tokens/s/GPU; what does not fit in memory comes after everything that does, the least
// over first. Pareto: nobody that fits has as many tokens/s, as much free memory and as few GPUs,
// and more of one of them.
//
// Step time, and GPU-seconds per million tokens (which stay comparable where batches or GPUs
// differ), are explained from the first prediction to each other one, term by term between their
// critical stages (the ones that wait least); peak and free memory between their fullest stages.
// The other metrics of comparison_metrics() follow without terms.
// Precondition: at least one forecast, each with a breakdown.
[[nodiscard]] Comparison compare(const std::vector<Forecast>& forecasts);

// Seconds of `to` minus `from` by breakdown term, largest magnitude first; zeros left out.
[[nodiscard]] std::vector<DifferenceTerm> step_time_terms(const Prediction& from,
                                                          const Prediction& to);
// The same in GPU-seconds per million tokens.
[[nodiscard]] std::vector<DifferenceTerm> per_token_terms(const Prediction& from,
                                                          const Prediction& to);
// Bytes by part of the fullest stages; "not attributed" is what the parts do not say.
[[nodiscard]] std::vector<DifferenceTerm> peak_memory_terms(const Prediction& from,
                                                            const Prediction& to);
// What each part gives to or takes from the free memory; with overhead and capacity.
[[nodiscard]] std::vector<DifferenceTerm> headroom_terms(const Prediction& from,
                                                         const Prediction& to);

}  // namespace stepcast

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/predict/prediction.hpp"

namespace stepcast {

// A figure of a prediction that comparisons set side by side. `key` names it in a
// stepcast.comparison, in base units; `label` and `text` are for people.
struct ComparisonMetric {
  std::string_view key, label;
  double (*value)(const Prediction&);
  std::string (*text)(double);
};

// All of them, in the order of reading. Memory is that of the fullest stage.
[[nodiscard]] const std::vector<ComparisonMetric>& comparison_metrics();

// "fits", "tight" or "out of memory"; as a key "out_of_memory".
[[nodiscard]] std::string verdict_words(MemoryVerdict verdict);
[[nodiscard]] std::string verdict_key(MemoryVerdict verdict);

// Capacity less what the fullest stage needs; negative when it does not fit.
[[nodiscard]] double memory_headroom(const Prediction& prediction);

[[nodiscard]] double tokens_of_step(const Prediction& prediction);

// The same number of tokens a step on as many GPUs, so that seconds of a step compare.
[[nodiscard]] bool same_work(const Prediction& a, const Prediction& b);

// Whether the P10-P90 intervals of tokens/s/GPU overlap: for the same work those of the step time.
[[nodiscard]] bool intervals_overlap(const Prediction& a, const Prediction& b);

// GPU-seconds that a million tokens take, of one second of a step.
[[nodiscard]] double per_million_tokens(const Prediction& prediction);

}  // namespace stepcast

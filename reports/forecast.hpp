#pragma once

#include <map>
#include <string>

#include "sim/parallel/run.hpp"
#include "sim/predict/prediction.hpp"

namespace stepcast {

// A prediction with what went in: every resolved input by its path ("parallel.tensor" -> "4").
// This is what reports read, so that a prediction from a file and a fresh one look the same.
struct Forecast {
  std::string label;  // names it among others: the run's file name
  Prediction prediction;
  std::map<std::string, std::string> inputs;
};

[[nodiscard]] Forecast make_forecast(std::string label, Prediction prediction, const Run& run);

// "llama-3-70b on 64 GPUs of dgx-h100:8, megatron: TP 4, PP 4 x 5 virtual (interleaved), ...".
// Inputs that are absent are left out.
[[nodiscard]] std::string configuration_line(const Forecast& forecast);

// The degrees alone: "TP 4, PP 4 (5 virtual), CP 2, DP 2".
[[nodiscard]] std::string parallel_line(const Forecast& forecast);

}  // namespace stepcast

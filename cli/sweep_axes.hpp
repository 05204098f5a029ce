#pragma once

#include <string>
#include <vector>

#include "reports/sweep.hpp"

namespace stepcast::cli {

// The axes of `--sweep path=values`: at most two, with at most 200 points together. Values are JSON
// or text, separated by commas outside brackets and quotes; 8..512*2 and 1..8+1 are ranges whose
// steps are a factor and an addend, ends included. Throws InputError with every problem.
[[nodiscard]] std::vector<SweepAxis> parse_axes(const std::vector<std::string>& sweeps);

// The paths of the run that an axis sets: of gpus, network_GBps and nvlink_GBps those in `cluster`.
[[nodiscard]] std::vector<std::string> targets_of(const SweepAxis& axis);

}  // namespace stepcast::cli

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "cli/run_input.hpp"
#include "reports/sweep.hpp"

namespace stepcast::cli {

enum class Scaling { strong, weak };

// Throws InputError with every clash: a path that two axes set, or an axis and a flag; weak scaling
// without an axis of GPUs.
void check_axes(const std::vector<SweepAxis>& axes, const RunInput& input, Scaling scaling);

// Throws InputError if GPUs are varied without a global batch.
void check_batch(const std::vector<SweepAxis>& axes, const RunInput& input,
                 const nlohmann::json& base);

// Takes parallel.data out of the run where an axis changes the degrees or GPUs that it follows,
// unless a flag or an axis sets it. Returns whether it did.
[[nodiscard]] bool let_data_follow(nlohmann::json& base, const std::vector<SweepAxis>& axes,
                                   const RunInput& input);

// The run of one point. A cluster given as "dgx-h100:8", or as a file of ours without a graph,
// becomes an object where an axis reaches into it; `file` names the run in messages, and paths are
// looked for beside it. Weak scaling multiplies the global batch by the GPUs over those of the
// axis' first value. Throws InputError or EnvironmentError if a value cannot be put in.
[[nodiscard]] nlohmann::json document_at(const nlohmann::json& base,
                                         const std::vector<SweepAxis>& axes,
                                         const SweepPoint& point, Scaling scaling,
                                         const std::string& file);

}  // namespace stepcast::cli

#pragma once

#include <string>
#include <vector>

#include "cli/console.hpp"
#include "cli/run_input.hpp"
#include "cli/sweep_documents.hpp"

namespace stepcast::cli {

struct SweepOptions {
  RunInput run;
  std::vector<std::string> sweep;  // "parallel.tensor=1,2,4,8"
  Scaling scaling = Scaling::strong;
  std::string json, html, markdown;
};

// `stepcast compare RUN.json --sweep path=values`: the run at every value. A point that cannot be
// forecast stays with its reason. Throws InputError for what is wrong with the run or the axes
// whatever the values.
int run_sweep(const SweepOptions& options, Console& console);

}  // namespace stepcast::cli

#pragma once

#include <string>
#include <vector>

#include "cli/console.hpp"

namespace stepcast::cli {

// Runs one command ("predict", "run.json", "--json", "-") and returns its exit code. Wrong input
// and a refusing machine are written to console.err, one line a problem: "stepcast: <problem>".
int run_command(const std::vector<std::string>& arguments, Console& console);

}  // namespace stepcast::cli

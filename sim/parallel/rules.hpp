#pragma once

#include <vector>

#include "common/errors.hpp"
#include "sim/parallel/run.hpp"

namespace stepcast {

// The validity rules of SEMANTICS 9 for the run's framework: one problem per broken rule, each
// naming the path, the value, the rule and valid choices. Empty: valid.
[[nodiscard]] std::vector<Problem> check_rules(const Run& run);

// What is legal but rarely meant (rule 16): micro-batches < pipeline, tensor beyond the NVLink
// domain...
[[nodiscard]] std::vector<std::string> rule_warnings(const Run& run);

}  // namespace stepcast

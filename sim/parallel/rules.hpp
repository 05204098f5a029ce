#pragma once

#include <vector>

#include "common/errors.hpp"
#include "sim/parallel/run.hpp"

namespace stepcast {

// The validity rules of SEMANTICS 9 for the run's framework: one problem per broken rule, whose
// `where` holds path and value ("parallel.tensor = 6") and whose message the rule and valid choices
// ("must divide the 64 attention heads of llama-3-70b (try 1, 2, 4, 8)"). Empty: valid.
[[nodiscard]] std::vector<Problem> check_rules(const Run& run);

// What is legal but rarely meant (rule 16): micro-batches < pipeline, tensor beyond the NVLink
// domain... Precondition: the run passed check_rules.
[[nodiscard]] std::vector<std::string> rule_warnings(const Run& run);

}  // namespace stepcast

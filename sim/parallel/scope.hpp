#pragma once

#include <vector>

#include "common/errors.hpp"
#include "sim/parallel/run.hpp"

namespace stepcast {

// What a run may ask for and this version does not simulate yet: one problem each, in the form of
// check_rules. Every entry goes when its feature comes.
[[nodiscard]] std::vector<Problem> check_scope(const Run& run);

}  // namespace stepcast

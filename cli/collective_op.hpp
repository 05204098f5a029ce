#pragma once

#include <string>

#include "sim/cost/cost_model.hpp"

namespace stepcast::cli {

// The operation that --op names ("all_reduce"); InputError listing the valid ones otherwise.
[[nodiscard]] CollectiveOp parse_op(const std::string& text);

}  // namespace stepcast::cli

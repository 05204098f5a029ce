#pragma once

#include <cstdint>
#include <string>

#include "sim/cost/cost_model.hpp"
#include "topologies/cluster.hpp"

// What the verbs that forecast one collective take alike.
namespace stepcast::cli {

// The operation that --op names ("all_reduce"); InputError listing the valid ones otherwise.
[[nodiscard]] CollectiveOp parse_op(const std::string& text);

// `asked` ranks, 0: all GPUs of the cluster. InputError when it has fewer, or when that is one.
[[nodiscard]] std::int64_t ranks_on(const Cluster& cluster, std::int64_t asked);

}  // namespace stepcast::cli

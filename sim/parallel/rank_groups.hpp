#pragma once

#include <cstdint>
#include <vector>

#include "sim/parallel/run.hpp"

namespace stepcast {

enum class GroupKind { tensor, context, data, data_context, pipeline, embedding, model };

// Ranks (= GPU indices) of every group of one kind, in group-rank order. Source: SEMANTICS 7.3;
// Megatron-LM core/parallel_state.py (RankGenerator).
[[nodiscard]] std::vector<std::vector<std::uint32_t>> rank_groups(const ParallelConfig& parallel,
                                                                  GroupKind kind);

// Those of one pipeline stage only (all kinds but pipeline, embedding and model).
[[nodiscard]] std::vector<std::vector<std::uint32_t>> rank_groups_of_stage(
    const ParallelConfig& parallel, GroupKind kind, std::int64_t stage);

struct RankCoordinates {
  std::int64_t tensor = 0, context = 0, data = 0, pipeline = 0;
};
[[nodiscard]] std::uint32_t rank_of(const ParallelConfig& parallel, const RankCoordinates& at);
[[nodiscard]] RankCoordinates coordinates_of(const ParallelConfig& parallel, std::uint32_t rank);

}  // namespace stepcast

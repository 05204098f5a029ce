#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "sim/parallel/run.hpp"

namespace stepcast {

// How a search divides layers over stages.
enum class StageSplit { as_given, even, count_ends, count_loss, shorter_ends };

// Which ranks are neighbours: the data or the pipeline groups inside the other.
enum class RankOrder { as_given, data_inside, pipeline_inside };

// What a search varies of a run; all else is the run's. Small, so that millions can be told apart.
struct Candidate {
  std::size_t base = 0;  // index of the run (and its cluster) in the request
  std::int64_t tensor = 1, pipeline = 1, context = 1, data = 1;
  std::int64_t virtual_stages = 1;
  std::int64_t micro_batch = 1;
  bool sequence_parallel = false;
  ScheduleKind schedule = ScheduleKind::one_f_one_b;
  ContextKind context_kind = ContextKind::ring;
  Sharding sharding = Sharding::none;
  RankOrder order = RankOrder::as_given;
  StageSplit split = StageSplit::as_given;
  RecomputeKind recompute = RecomputeKind::none;
  std::int64_t recompute_layers = 0;  // of a chunk, full recompute only; 0: all
  friend bool operator==(const Candidate&, const Candidate&) = default;
};

// Makes `run` the candidate. `base` is the run that the candidate refers to; `run` may be any copy
// of it that earlier candidates were applied to.
void apply(const Candidate& candidate, const Run& base, Run& run);
[[nodiscard]] Run run_of(const Candidate& candidate, const Run& base);

// How much a team must master: one for each axis in use, for a schedule of several virtual stages,
// for uneven stages, and for fp8 (SEMANTICS 11, C5).
[[nodiscard]] int engineering_complexity(const Run& run);

}  // namespace stepcast

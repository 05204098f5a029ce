#pragma once

#include <array>
#include <map>
#include <tuple>

#include "sim/cost/cost_model.hpp"
#include "sim/cost/profile.hpp"
#include "sim/memory/memory_rules.hpp"
#include "sim/parallel/action.hpp"
#include "sim/plan/candidate.hpp"

namespace stepcast {

// Seconds that one action costs: a fixed part, and one for each layer. An action's operations
// repeat layer by layer, so its time is this line exactly but for its first and last operations.
struct ActionTimes {
  double fixed = 0.0, layer = 0.0, recomputed_layer = 0.0;
  double embedding = 0.0, head = 0.0;  // added when the chunk has them
  [[nodiscard]] double of(std::int64_t layers, std::int64_t recomputed, bool has_embedding,
                          bool has_head) const {
    return fixed + static_cast<double>(layers - recomputed) * layer +
           static_cast<double>(recomputed) * recomputed_layer + (has_embedding ? embedding : 0.0) +
           (has_head ? head : 0.0);
  }
};

struct LayerTimes {
  ActionTimes forward, backward;
};

// Bytes that a layer keeps for its backward, whole and under full recompute.
struct KeptBytes {
  double whole = 0.0, recomputed = 0.0;
};

// Times and kept bytes by what they depend on: tensor and context degree and kind, sequence
// parallelism, micro-batch, and whether attention is recomputed selectively. Not thread-safe.
class LayerTimesCache {
 public:
  LayerTimesCache(const Profile& profile, const CostModel& costs)
      : profile_(profile), costs_(costs) {}
  // `run`: the candidate, applied to its base.
  [[nodiscard]] const LayerTimes& times(const Candidate& candidate, const Run& run);
  [[nodiscard]] const KeptBytes& kept(const Candidate& candidate, const Run& run);

 private:
  using Key = std::tuple<std::int64_t, std::int64_t, ContextKind, bool, std::int64_t, bool>;
  [[nodiscard]] static Key key_of(const Candidate& candidate);
  [[nodiscard]] LayerTimes measure(const Run& run) const;
  [[nodiscard]] ActionTimes measure_action(const Run& run, ActionKind kind) const;

  const Profile& profile_;
  const CostModel& costs_;
  std::map<Key, LayerTimes> times_;
  std::map<Key, KeptBytes> kept_;
};

}  // namespace stepcast

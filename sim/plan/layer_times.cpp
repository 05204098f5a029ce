#include "sim/plan/layer_times.hpp"

#include "sim/memory/memory.hpp"
#include "sim/predict/action_timer.hpp"

namespace stepcast {
namespace {

double bytes_of(const std::vector<NamedBytes>& list) {
  double sum = 0.0;
  for (const NamedBytes& entry : list) sum += entry.bytes.value();
  return sum;
}

// The first stage of one replica, whose groups stand for all.
Run one_replica(const Run& run) {
  Run replica = run;
  replica.parallel.data = replica.parallel.pipeline = replica.parallel.virtual_stages = 1;
  replica.parallel.stage_layers = {};
  if (replica.training.recompute.kind == RecomputeKind::full) replica.training.recompute = {};
  return replica;
}

}  // namespace

ActionTimes LayerTimesCache::measure_action(const Run& run, ActionKind kind) const {
  const auto time = [&](std::int64_t layers, bool embedding, bool head) {
    const Chunk chunk{.first_layer = 0, .layers = layers, .embedding = embedding, .head = head};
    return time_action(run, profile_, costs_, chunk, kind).value();
  };
  const double one = time(1, false, false), two = time(2, false, false);
  ActionTimes times;
  times.layer = two - one;
  times.fixed = one - times.layer;
  times.recomputed_layer = times.layer;
  times.embedding = time(1, true, false) - one;
  times.head = time(1, false, true) - one;
  return times;
}

LayerTimes LayerTimesCache::measure(const Run& run) const {
  const Run replica = one_replica(run);
  LayerTimes times{measure_action(replica, ActionKind::forward),
                   measure_action(replica, ActionKind::backward)};
  Run again = replica;
  again.training.recompute = {RecomputeKind::full, {}, {}};
  const auto recomputed = [&](std::int64_t layers) {
    const Chunk chunk{.first_layer = 0, .layers = layers, .embedding = false, .head = false};
    return time_action(again, profile_, costs_, chunk, ActionKind::backward).value();
  };
  times.backward.recomputed_layer = recomputed(2) - recomputed(1);
  return times;
}

LayerTimesCache::Key LayerTimesCache::key_of(const Candidate& candidate) {
  return {candidate.tensor,       candidate.context,
          candidate.context_kind, candidate.sequence_parallel,
          candidate.micro_batch,  candidate.recompute == RecomputeKind::selective};
}

const LayerTimes& LayerTimesCache::times(const Candidate& candidate, const Run& run) {
  const Key key = key_of(candidate);
  const auto found = times_.find(key);
  if (found != times_.end()) return found->second;
  return times_.emplace(key, measure(run)).first->second;
}

const KeptBytes& LayerTimesCache::kept(const Candidate& candidate, const Run& run) {
  const Key key = key_of(candidate);
  const auto found = kept_.find(key);
  if (found != kept_.end()) return found->second;
  Run replica = one_replica(run);
  const MemoryRules rules = memory_rules_for(replica, profile_.device);
  KeptBytes kept;
  kept.whole = bytes_of(saved_by_layer(replica, rules));
  replica.training.recompute = {RecomputeKind::full, {}, {}};
  kept.recomputed = bytes_of(saved_by_layer(replica, rules));
  return kept_.emplace(key, kept).first->second;
}

}  // namespace stepcast

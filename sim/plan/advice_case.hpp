#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/cost/memoised_cost_model.hpp"
#include "sim/cost/profile_cost_model.hpp"
#include "sim/plan/candidate_model.hpp"
#include "sim/plan/search_request.hpp"
#include "sim/plan/search_space.hpp"

namespace stepcast {

struct Degrees {
  std::int64_t tensor = 1, pipeline = 1, context = 1, data = 1;
  friend auto operator<=>(const Degrees&, const Degrees&) = default;
};
[[nodiscard]] Degrees degrees_of(const ParallelConfig& parallel);

// Keys and values that a rank passes on at each step of a ring: 2 T (k / t) d elements of 16 bits
// (SEMANTICS 3.3).
[[nodiscard]] Bytes ring_message(const Run& run);

// What became of some degrees when the rest of the configuration was filled in.
struct Completion {
  Candidate candidate;
  bool valid = false;
  std::string problem;  // the first rule or limit that is broken; "" when valid
  bool fits = false;
  double memory = 0.0;            // bytes of the fullest rank, outside the allocator included
  double unrecomputed = 0;        // the same without full recomputation
  double recomputed_share = 0.0;  // of the layers, in full
  double bubble = 0.0;            // (p - 1) / (v m)
};

// Whether a completion may recompute activations that do not fit.
enum class MayRecompute { yes, no };

// One rate of a group: what a rank puts on the wire, and the slowest kind of link on the way.
struct GroupRate {
  BytesPerSecond rate;
  LinkTier tier = LinkTier::nvlink;
};

// A model, a training and a cluster to advise on, and everything that the rules measure there.
// Not thread-safe. The request must outlive it.
class AdviceCase {
 public:
  AdviceCase(const SearchRequest& request, const Profile& profile);

  [[nodiscard]] const Run& base() const { return request_.bases.front(); }
  [[nodiscard]] const SearchRequest& request() const { return request_; }
  [[nodiscard]] const Profile& profile() const { return profile_; }
  [[nodiscard]] std::int64_t gpus() const { return base().cluster.topology.gpu_count(); }
  [[nodiscard]] std::int64_t nvlink_domain() const;
  [[nodiscard]] double capacity() const { return capacity_; }
  // Bytes that the framework may allocate: capacity less what lives outside the allocator and what
  // it reserves beyond (SEMANTICS 6.4).
  [[nodiscard]] double usable(const Run& run) const;

  // Degrees that appear in a valid unit, ascending.
  [[nodiscard]] std::vector<std::int64_t> tensor_degrees() const;
  [[nodiscard]] std::vector<std::int64_t> context_degrees() const;
  // Units with this tensor and context degree, fewest stages first.
  [[nodiscard]] std::vector<Degrees> pipelines(std::int64_t tensor, std::int64_t context) const;

  // Fills in the rest: micro-batch 1 (or the smallest), sequence parallelism with tensor
  // parallelism, a sharded optimizer, the fewest virtual stages that bring the bubble to
  // most_bubble (else those with the least), and the lightest recomputation that makes it fit.
  // Scores of unfused attention are always recomputed: they are most of what a layer keeps and cost
  // few FLOPs to make again (arXiv 2205.05198).
  [[nodiscard]] Completion complete(const Degrees& degrees, MayRecompute recompute,
                                    std::int64_t micro_batch = 0);
  [[nodiscard]] Run run_with(const Degrees& degrees) const;
  [[nodiscard]] Run run_of(const Candidate& candidate) const;

  // Rate of a whole layer's forward on one GPU, unsplit, causal FLOPs.
  [[nodiscard]] FlopsPerSecond layer_rate();
  // Forward or backward of one layer of one micro-batch of the run.
  [[nodiscard]] Seconds layer_time(const Candidate& candidate, ActionKind kind);
  [[nodiscard]] GroupRate rate(const Run& run, GroupKind group, CollectiveOp op, Bytes size) const;
  // Between the two neighbouring stages with the slowest exchange. Precondition: pipeline > 1.
  [[nodiscard]] GroupRate boundary_rate(const Run& run) const;
  // Gathers of a layer's tensor in tensor groups alone; gradients of the fullest stage; one
  // exchange of a ring.
  [[nodiscard]] GroupRate tensor_rate(std::int64_t tensor) const;
  [[nodiscard]] GroupRate data_rate(const Run& run) const;
  [[nodiscard]] GroupRate ring_rate(const Run& run) const;

  // What one layer keeps of a micro-batch, and what all layers do: the first stage of any pipeline
  // holds as much.
  [[nodiscard]] double layer_activations(const Run& run) const;
  [[nodiscard]] double model_activations(const Run& run) const;
  // Parameters, gradients and optimizer of the stage with most parameters.
  [[nodiscard]] double states(const Run& run) const;
  // Parameters, gradients and a whole optimizer of one layer with the word embedding.
  [[nodiscard]] double layer_states(std::int64_t tensor) const;
  // Parameters of the stage with most of them.
  [[nodiscard]] std::int64_t most_parameters(const Run& run) const;
  // Logits with what the loss makes of them, of one micro-batch.
  [[nodiscard]] double logits(const Run& run) const;

  // What has been predicted not to fit after all is not completed again.
  void exclude(const Degrees& degrees) { excluded_.insert(degrees); }

  [[nodiscard]] bool pinned(const char* member) const { return request_.pinned.contains(member); }

 private:
  [[nodiscard]] const SearchUnit* find(const Degrees& degrees) const;
  [[nodiscard]] std::optional<Candidate> family(const SearchUnit& unit, std::int64_t micro_batch);
  [[nodiscard]] std::string what_is_wrong(const Degrees& degrees) const;

  const SearchRequest& request_;
  const Profile& profile_;
  ProfileCostModel table_;
  MemoisedCostModel costs_;
  SearchSpace space_;
  CandidateModel model_;
  LayerTimesCache times_;
  double capacity_;
  std::set<Degrees> excluded_;
};

}  // namespace stepcast

#pragma once

#include <optional>
#include <vector>

#include "sim/plan/layer_times.hpp"
#include "sim/plan/pipeline_replay.hpp"
#include "sim/plan/search_request.hpp"
#include "sim/plan/search_space.hpp"
#include "sim/plan/unit_costs.hpp"

namespace stepcast {

// What a candidate costs. `memory` is what the fullest rank must hold: allocated and overhead.
struct CandidateCost {
  double time = 0.0;    // seconds of a step
  double memory = 0.0;  // bytes
};

// Costs of candidates, from cheap lower bounds to a replay of the whole pipeline. Everything that
// candidates have in common is computed once. One for each thread.
//
// A family is a candidate but for its recompute setting. Call open_unit, then open_family for
// families of that unit, then the others for variants of that family.
class CandidateModel {
 public:
  CandidateModel(const SearchRequest& request, const Profile& profile, const CostModel& costs);

  void open_unit(const SearchUnit& unit);
  void open_family(const Candidate& family);
  [[nodiscard]] std::int64_t largest_chunk() const { return largest_chunk_; }

  // Never above replayed_time(variant): every stage runs its own actions one after the other,
  // behind the first forward and before the last backward of the stages ahead of it.
  [[nodiscard]] double least_time(const Candidate& variant);
  // Never above exact_memory(variant): what is always alive, and the activations of as many
  // micro-batches as the schedule must have in flight.
  [[nodiscard]] double least_memory(const Candidate& variant);

  // The walk of simulate_stage_memory over the stages that may be fullest.
  [[nodiscard]] double exact_memory(const Candidate& variant);
  // The step with every action at its own time and nothing slowed down by what runs beside it.
  [[nodiscard]] double replayed_time(const Candidate& variant);

 private:
  struct ChunkSize {
    std::int64_t layers = 0;
    bool embedding = false, head = false;
  };

  void select(const Candidate& variant);
  [[nodiscard]] std::int64_t recomputed(const ChunkSize& chunk) const;
  [[nodiscard]] double forward(const LayerTimes& times, const ChunkSize& chunk) const;
  [[nodiscard]] double backward(const LayerTimes& times, const ChunkSize& chunk) const;
  [[nodiscard]] const std::vector<StageOrder>& orders(std::int64_t micro_batches);
  [[nodiscard]] const UnitCosts& unit_costs();
  void fill_times();
  [[nodiscard]] double step_end(const PipelineEnds& ends, std::int64_t stage);
  [[nodiscard]] std::vector<std::int64_t> fullest_stages() const;
  [[nodiscard]] double in_flight(std::int64_t stage) const;

  const SearchRequest& request_;
  const Profile& profile_;
  const CostModel& costs_;
  LayerTimesCache layer_times_;
  const Run* base_ = nullptr;
  Run run_;  // the family, then the variant
  Candidate variant_;
  std::optional<UnitCosts> unit_costs_;
  StageLayout layout_;
  std::vector<ChunkSize> chunks_;         // stage * virtual_stages + chunk
  std::vector<double> always_alive_;      // bytes by stage; below 0: not computed yet
  std::vector<std::int64_t> parameters_;  // by stage
  std::int64_t largest_chunk_ = 0;
  PipelineReplay replay_;
  PipelineTimes pipeline_;
  ScheduleShape ordered_shape_;  // of orders_
  std::vector<StageOrder> orders_;
};

}  // namespace stepcast

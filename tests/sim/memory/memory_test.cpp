#include "sim/memory/memory.hpp"

#include <gtest/gtest.h>

#include "tests/sim/memory/memory_fixtures.hpp"

namespace stepcast {
namespace {

using namespace memory_fixtures;

// Llama-3-70B, TP4 PP4 CP2 DP2, as in semantics_vectors.json.
Run llama70b() {
  ParallelConfig parallel;
  parallel.tensor = 4;
  parallel.pipeline = 4;
  parallel.context = 2;
  parallel.data = 2;
  parallel.sequence_parallel = true;
  parallel.sharding = Sharding::optimizer;
  TrainingConfig training;
  training.sequence_length = 8192;
  training.global_batch = 128;
  return make_run(llama3_70b(), parallel, training);
}

TEST(Memory, StatesAndActivationsOfLlamaMeetTheVector) {
  // mem/total_llama3_70b_tp4_pp4_cp2_dp2: 40,875,393,024 + 22,502,440,960 bytes on stage 0.
  const auto run = llama70b();
  const StageMemory memory = simulate(run, memory_rules_for(run, h100()), 0);
  const Bytes states = memory.parameters + memory.gradients + memory.optimizer;
  EXPECT_DOUBLE_EQ(states.value(), 40875393024);
  EXPECT_DOUBLE_EQ(layers_in_flight(run, memory) * papers_layer_bytes(run), 22502440960);
}

TEST(Memory, PartsAndTensorsSumToThePeak) {
  for (std::int64_t stage = 0; stage < 4; ++stage) {
    const auto run = llama70b();
    const StageMemory memory = simulate(run, memory_rules_for(run, h100()), stage);
    const Bytes parts = memory.parameters + memory.gradients + memory.optimizer +
                        memory.activations + memory.transient;
    EXPECT_DOUBLE_EQ(parts.value(), memory.peak_allocated.value());
    double alive = 0;
    for (const NamedBytes& entry : memory.alive_at_peak) alive += entry.bytes.value();
    EXPECT_DOUBLE_EQ(alive, memory.peak_allocated.value());
    EXPECT_EQ(memory.stage, stage);
  }
}

TEST(Memory, NeededIsThePeakOfTheWholeWalk) {
  auto run = llama70b();
  for (const std::int64_t virtual_stages : {1, 5})
    for (const std::int64_t recomputed : {0, 1, 3}) {
      run.parallel.virtual_stages = virtual_stages;
      run.parallel.schedule =
          virtual_stages > 1 ? ScheduleKind::interleaved : ScheduleKind::one_f_one_b;
      run.training.recompute = {};
      if (recomputed > 0) run.training.recompute = {RecomputeKind::full, recomputed, {}};
      const MemoryRules rules = memory_rules_for(run, h100());
      const StageLayout layout = lay_out_stages(run);
      for (std::int64_t stage = 0; stage < 4; ++stage) {
        const StageMemory memory = simulate(run, rules, stage);
        const Bytes needed =
            stage_memory_needed(run, rules, layout.stages[static_cast<std::size_t>(stage)],
                                timed(megatron_order(run.parallel, stage, run.micro_batches())));
        EXPECT_DOUBLE_EQ(needed.value(), (memory.peak_allocated + memory.overhead).value())
            << virtual_stages << " " << recomputed << " " << stage;
      }
    }
}

TEST(Memory, LargestTensorsComeFirst) {
  const auto run = llama70b();
  const StageMemory memory = simulate(run, memory_rules_for(run, h100()), 0);
  for (std::size_t i = 1; i < memory.alive_at_peak.size(); ++i)
    EXPECT_GE(memory.alive_at_peak[i - 1].bytes, memory.alive_at_peak[i].bytes);
}

TEST(Memory, ThePeakIsTheTimelinesHighestPoint) {
  const auto run = llama70b();
  const StageMemory memory = simulate(run, memory_rules_for(run, h100()), 3);
  Bytes highest;
  Seconds at;
  for (const auto& [time, bytes] : memory.timeline)
    if (bytes > highest) std::tie(highest, at) = std::pair{bytes, time};
  EXPECT_EQ(highest, memory.peak_allocated);
  EXPECT_EQ(at, memory.peak_at);
  EXPECT_EQ(memory.timeline.back().second, memory.static_allocated);
}

TEST(Memory, WithoutActionsThePeakIsStatic) {
  const auto run = llama70b();
  const StageMemory memory =
      simulate_stage_memory(run, h100(), 0, lay_out_stages(run).stages[0], {});
  EXPECT_EQ(memory.peak_allocated, memory.static_allocated);
}

TEST(Memory, EqualInputsGiveEqualResults) {
  const auto run = llama70b();
  const MemoryRules rules = memory_rules_for(run, h100());
  const StageMemory first = simulate(run, rules, 1), second = simulate(run, rules, 1);
  EXPECT_EQ(first.alive_at_peak, second.alive_at_peak);
  EXPECT_EQ(first.timeline, second.timeline);
}

TEST(Memory, OverheadIsCachedBlocksAndWhatLivesOutsideTheAllocator) {
  const auto run = llama70b();
  MemoryRules rules = memory_rules_for(run, h100());
  rules.reserved_over_allocated = 1.5;
  rules.outside_allocator = Bytes{1000};
  const StageMemory memory = simulate(run, rules, 0);
  EXPECT_DOUBLE_EQ(memory.overhead.value(), 0.5 * memory.peak_allocated.value() + 1000);
}

StageMemory holding(double allocated, double overhead) {
  StageMemory memory;
  memory.peak_allocated = Bytes{allocated};
  memory.overhead = Bytes{overhead};
  return memory;
}

TEST(Memory, VerdictsChangeAtNinetyAndOneHundredPercent) {
  const Bytes capacity{100};
  EXPECT_EQ(judge(holding(80, 9), capacity), MemoryVerdict::fits);
  EXPECT_EQ(judge(holding(80, 10), capacity), MemoryVerdict::tight);
  EXPECT_EQ(judge(holding(80, 20), capacity), MemoryVerdict::tight);
  EXPECT_EQ(judge(holding(80, 21), capacity), MemoryVerdict::out_of_memory);
}

TEST(Memory, VerdictsHaveTheContractsNames) {
  EXPECT_EQ(name_of(MemoryVerdict::fits), "fits");
  EXPECT_EQ(name_of(MemoryVerdict::tight), "tight");
  EXPECT_EQ(name_of(MemoryVerdict::out_of_memory), "out_of_memory");
}

TEST(Memory, SavedByLayerNamesEachTensorOnce) {
  const std::vector<NamedBytes> saved = saved_by_layer(llama70b());
  for (std::size_t i = 0; i < saved.size(); ++i)
    for (std::size_t j = i + 1; j < saved.size(); ++j) EXPECT_NE(saved[i].name, saved[j].name);
}

TEST(Memory, MoreShardingIsNeverMoreMemory) {
  double before = 1e30;
  for (const Sharding sharding :
       {Sharding::none, Sharding::optimizer, Sharding::gradients, Sharding::parameters}) {
    auto run = llama70b();
    run.parallel.pipeline = 1;
    run.parallel.sharding = sharding;
    const double peak = simulate(run, memory_rules_for(run, h100()), 0).peak_allocated.value();
    EXPECT_LT(peak, before);
    before = peak;
  }
}

TEST(Memory, LongerSequencesAndLargerBatchesNeedMore) {
  auto run = llama70b();
  const auto peak = [&] {
    return simulate(run, memory_rules_for(run, h100()), 0).peak_allocated.value();
  };
  const double small = peak();
  run.training.sequence_length *= 2;
  const double longer = peak();
  run.training.micro_batch = 2;
  EXPECT_LT(small, longer);
  EXPECT_LT(longer, peak());
}

}  // namespace
}  // namespace stepcast

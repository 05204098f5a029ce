#include "sim/memory/stage_walk.hpp"

#include <gtest/gtest.h>

#include "tests/sim/memory/memory_fixtures.hpp"

namespace stepcast {
namespace {

using namespace memory_fixtures;

struct Pipeline {
  std::int64_t ranks, micro_batches, virtual_stages;
};

Run pipelined(const Pipeline& pipeline, std::int64_t layers_per_chunk = 1) {
  Transformer model = llama3_8b();
  model.layers = pipeline.ranks * pipeline.virtual_stages * layers_per_chunk;
  ParallelConfig parallel;
  parallel.pipeline = pipeline.ranks;
  parallel.virtual_stages = pipeline.virtual_stages;
  TrainingConfig training;
  training.sequence_length = 4096;
  training.global_batch = pipeline.micro_batches;
  return make_run(model, parallel, training);
}

TEST(StageWalk, InFlightCountsMeetTheVectors) {
  // semantics_vectors.json mem/inflight_*: min(m, p - r), or (2(p-r-1) + (v-1)p + 1) / v.
  for (const Pipeline& pipeline :
       {Pipeline{4, 8, 1}, Pipeline{8, 32, 1}, Pipeline{4, 8, 2}, Pipeline{8, 32, 4}}) {
    const auto run = pipelined(pipeline);
    const MemoryRules rules = memory_rules_for(run, h100());
    for (std::int64_t rank = 0; rank < pipeline.ranks; ++rank) {
      const std::int64_t behind = pipeline.ranks - rank - 1;
      const std::int64_t chunks =
          pipeline.virtual_stages == 1
              ? std::min(pipeline.micro_batches, behind + 1)
              : 2 * behind + (pipeline.virtual_stages - 1) * pipeline.ranks + 1;
      EXPECT_DOUBLE_EQ(layers_in_flight(run, simulate(run, rules, rank)),
                       static_cast<double>(chunks))
          << pipeline.ranks << " ranks, rank " << rank;
    }
  }
}

std::vector<TimedAction> actions_of(const Run& run, std::int64_t rank) {
  return timed(megatron_order(run.parallel, rank, run.micro_batches()));
}

StageWalk walk(const Run& run, std::int64_t rank) {
  StageWalk result(run, memory_rules_for(run, h100()),
                   lay_out_stages(run).stages[static_cast<std::size_t>(rank)]);
  result.run(actions_of(run, rank));
  return result;
}

TEST(StageWalk, AStepEndsWhereItBegan) {
  for (const Pipeline& pipeline : {Pipeline{1, 3, 1}, Pipeline{4, 8, 1}, Pipeline{4, 8, 2}}) {
    for (std::int64_t rank = 0; rank < pipeline.ranks; ++rank) {
      const StageWalk stage = walk(pipelined(pipeline), rank);
      EXPECT_EQ(stage.ledger().allocated(), stage.static_allocated()) << "rank " << rank;
    }
  }
}

TEST(StageWalk, ASixteenBitGradientCopyIsGoneDuringTheStep) {
  auto run = pipelined({1, 1, 1});
  run.training.precision = run.training.parameter_dtype = run.training.gradient_dtype =
      DataType::fp16;
  run.parallel.sharding = Sharding::optimizer;
  run.parallel.data = run.training.global_batch = 8;
  const StageWalk stage = walk(run, 0);
  EXPECT_EQ(stage.ledger().allocated(), stage.static_allocated());
  for (const MemoryTensor& tensor : stage.ledger().alive_at_peak())
    EXPECT_NE(tensor.name, "fp32 copy of gradients");
}

TEST(StageWalk, AStageBehindAnotherKeepsItsInputBetweenSteps) {
  // Stage 1 of 2 has a head beside its layer, stage 0 an embedding: input and gradient, 2X.
  const auto run = pipelined({2, 4, 1});
  MemoryRules rules = memory_rules_for(run, h100());
  const auto chunks = lay_out_stages(run).stages[1];
  const Bytes kept = StageWalk(run, rules, chunks).static_allocated();
  rules.keeps_stage_input = false;
  const Bytes hidden_state{4096.0 * 4096 * 2};
  EXPECT_EQ(kept - StageWalk(run, rules, chunks).static_allocated(), 2 * hidden_state);
}

TEST(StageWalk, ActivationsRiseLayerByLayerInsideAForward) {
  const auto run = pipelined({2, 1, 1}, 4);  // stage 0: four layers, no head
  const StageWalk stage = walk(run, 0);
  double last = -1;
  int changes = 0;
  for (const auto& [at, bytes] : stage.ledger().timeline()) {
    EXPECT_GE(at.value(), last);
    last = at.value();
    if (at.value() < 1.0 && at.value() > 0.0) ++changes;  // the forward takes the first second
  }
  // Two halves a layer, the first of which starts at time 0.
  EXPECT_EQ(changes, 2 * 4 - 1);
}

TEST(StageWalk, TheFirstStagePeaksAtItsFirstBackward) {
  // SEMANTICS 6.3: end of the warm-up and one more forward: 4 forwards of one second.
  const auto run = pipelined({4, 8, 1}, 4);
  EXPECT_DOUBLE_EQ(to_seconds(walk(run, 0).ledger().peak_at()).value(), 4.0);
}

TEST(StageWalk, TheLastStagePeaksInItsLoss) {
  const auto run = pipelined({4, 8, 1}, 1);
  MemoryRules rules = memory_rules_for(run, h100());
  rules.cross_entropy = CrossEntropy::unfused;
  const StageMemory memory = simulate(run, rules, 3);
  EXPECT_DOUBLE_EQ(bytes_of(memory.alive_at_peak, "logits and their fp32 copies"),
                   2 * 4096.0 * 128256);
}

TEST(StageWalk, FullRecomputeBringsBackOneLayerAtATime) {
  auto run = pipelined({2, 2, 1}, 8);
  run.training.recompute.kind = RecomputeKind::full;
  const StageMemory memory = simulate(run, memory_rules_for(run, h100()), 0);
  const double input = 4096.0 * 4096 * 2;
  EXPECT_DOUBLE_EQ(bytes_of(memory.alive_at_peak, "checkpointed layer input"), 2 * 8 * input);
  EXPECT_DOUBLE_EQ(bytes_of(memory.alive_at_peak, "MLP norm output"), input);
}

TEST(StageWalk, PartialRecomputeLeavesTheOtherLayersWhole) {
  auto run = pipelined({2, 2, 1}, 8);
  run.training.recompute.kind = RecomputeKind::full;
  run.training.recompute.layers = 3;
  const StageMemory memory = simulate(run, memory_rules_for(run, h100()), 0);
  const double input = 4096.0 * 4096 * 2;
  EXPECT_DOUBLE_EQ(bytes_of(memory.alive_at_peak, "checkpointed layer input"), 2 * 3 * input);
  EXPECT_DOUBLE_EQ(bytes_of(memory.alive_at_peak, "MLP norm output"), 2 * 5 * input);
}

TEST(StageWalk, MoreRecomputeIsNeverMoreMemory) {
  double before = 1e30;
  for (std::int64_t layers = 0; layers <= 8; ++layers) {
    auto run = pipelined({2, 4, 1}, 8);
    run.training.recompute.kind = RecomputeKind::full;
    run.training.recompute.layers = layers;
    const double peak = simulate(run, memory_rules_for(run, h100()), 0).peak_allocated.value();
    EXPECT_LE(peak, before) << layers;
    before = peak;
  }
}

TEST(StageWalk, DeferredHeadGradientsStayToTheEndOfTheStep) {
  const auto run = pipelined({2, 4, 1});
  MemoryRules rules = memory_rules_for(run, h100());
  rules.deferred_head_gradients = 2;
  const StageMemory memory = simulate(run, rules, 1);
  EXPECT_DOUBLE_EQ(bytes_of(memory.alive_at_peak, "deferred gradients of logits"),
                   2 * 2 * 4096.0 * 128256);
  EXPECT_EQ(memory.timeline.back().second, memory.static_allocated);
}

TEST(StageWalk, ABackwardWithoutItsForwardIsABug) {
  const auto run = pipelined({2, 1, 1});
  StageWalk stage(run, memory_rules_for(run, h100()), lay_out_stages(run).stages[0]);
  const TimedAction backward{{ActionKind::backward, 0, 0}, SimTime{0}, SimTime{1}};
  EXPECT_DEATH(stage.run({backward}), "alive_");
}

}  // namespace
}  // namespace stepcast

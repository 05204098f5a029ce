#include "sim/memory/operator_recompute.hpp"

#include <gtest/gtest.h>

#include "tests/sim/memory/memory_fixtures.hpp"

namespace stepcast {
namespace {

using namespace memory_fixtures;

Run titan() {
  TrainingConfig training;
  training.sequence_length = 8192;
  training.micro_batch = 2;
  training.global_batch = 2;
  training.recompute.kind = RecomputeKind::selective;
  Run run = make_run(llama3_8b(), ParallelConfig{}, training);
  run.framework = Framework::torchtitan;
  return run;
}

TEST(OperatorRecompute, KeepsEverySecondProductAndTheAttention) {
  // MEMORY_EXACT 8: 2 bytes x (input h + wq h + wv k*d + w1 f + w2 h + attention output h).
  const double elements = 4096 + 4096 + 8 * 128 + 14336 + 4096 + 4096;
  double saved = 0;
  for (const NamedBytes& entry : saved_by_layer(titan())) saved += entry.bytes.value();
  EXPECT_DOUBLE_EQ(saved, 16384 * 2 * elements);
}

TEST(OperatorRecompute, TheRestComesBackInBackward) {
  auto run = titan();
  const MemoryRules rules = memory_rules_for(run, h100());
  const LayerActivations kept = layer_activations(run, rules);
  run.training.recompute.kind = RecomputeKind::none;
  const LayerActivations whole = layer_activations(run, rules);
  EXPECT_EQ(total(kept.attention) + total(kept.recomputed_attention), total(whole.attention));
  EXPECT_EQ(total(kept.mlp) + total(kept.recomputed_mlp), total(whole.mlp));
}

TEST(OperatorRecompute, IsTorchtitansOnly) {
  auto run = titan();
  EXPECT_TRUE(recomputes_by_operator(run));
  run.training.recompute.modules = {"mlp"};
  EXPECT_FALSE(recomputes_by_operator(run));
  run.training.recompute.modules = {};
  run.framework = Framework::megatron;
  EXPECT_FALSE(recomputes_by_operator(run));
}

}  // namespace
}  // namespace stepcast

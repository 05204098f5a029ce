#include "sim/memory/phases.hpp"

#include <gtest/gtest.h>

#include "sim/memory/activation_memory.hpp"
#include "tests/sim/memory/memory_fixtures.hpp"

namespace stepcast {
namespace {

using namespace memory_fixtures;

// 405B proxy of MEMORY_EXACT 3: TP4 with sequence parallelism, 4,096 tokens.
Run proxy() {
  Transformer model = llama3_405b();
  model.kv_heads = 16;
  model.layers = 4;
  ParallelConfig parallel;
  parallel.tensor = 4;
  parallel.sequence_parallel = true;
  TrainingConfig training;
  training.sequence_length = 4096;
  training.global_batch = 1;
  return make_run(model, parallel, training);
}

constexpr double mebibyte = 1048576;

double named(const TensorList& list, const std::string& name) {
  for (const MemoryTensor& tensor : list)
    if (tensor.name == name) return tensor.bytes.value();
  return 0;
}

TEST(Phases, TheHeadPhaseOfTheProxyIs475Mebibytes) {
  // 2X (64) + logits (251) + gathered-input gradient (128) + its shard (32), fused cross entropy,
  // cached dummy gradient.
  const auto run = proxy();
  MemoryRules rules = memory_rules_for(run, b200());
  rules.cross_entropy = CrossEntropy::engine_fused;
  const double norm = total(head_activations(run)).value() - 1024 * 4;  // without statistics
  EXPECT_DOUBLE_EQ(norm, 64 * mebibyte);
  EXPECT_DOUBLE_EQ(total(head_backward(run, rules)).value(), (251 + 128 + 32) * mebibyte);
}

TEST(Phases, WithoutADummyTheHeadsWeightGradientIsTransient) {
  const auto run = proxy();
  MemoryRules rules = memory_rules_for(run, b200());
  const double with_dummy = total(head_backward(run, rules)).value();
  rules.gradient_accumulation_fusion = false;
  EXPECT_DOUBLE_EQ(total(head_backward(run, rules)).value() - with_dummy, 2.0 * 128512 / 4 * 16384);
}

TEST(Phases, TheLossHoldsSixTenTwoOrTwelveBytesPerLogit) {
  const auto run = proxy();
  MemoryRules rules = memory_rules_for(run, b200());
  const double logits = 4096.0 * 128512 / 4;
  for (const auto& [variant, bytes] : {std::pair{CrossEntropy::unfused, 6},
                                       {CrossEntropy::native_fused, 10},
                                       {CrossEntropy::engine_fused, 2},
                                       {CrossEntropy::float32, 12}}) {
    rules.cross_entropy = variant;
    const Bytes all = total(loss_forward(run, rules)) + total(loss_activations(run, rules));
    EXPECT_DOUBLE_EQ(all.value(), bytes * logits) << name_of(variant);
  }
}

TEST(Phases, UnfusedLogitsOfLlamaMeetTheVectors) {
  // mem/logits_llama3_8b_tp1 and mem/logits_llama3_405b_tp8, peak_unfused.
  auto run = proxy();
  run.training.sequence_length = 8192;
  run.parallel.tensor = 8;
  const auto peak = [&] {
    MemoryRules rules = memory_rules_for(run, h100());
    rules.cross_entropy = CrossEntropy::unfused;
    return (total(loss_forward(run, rules)) + total(loss_activations(run, rules))).value();
  };
  EXPECT_DOUBLE_EQ(peak(), 792723456);
  run.model = llama3_8b();
  run.parallel.tensor = 1;
  EXPECT_DOUBLE_EQ(peak(), 6304038912);
}

TEST(Phases, FusedLossWritesItsGradientIntoTheLogits) {
  const auto run = proxy();
  MemoryRules rules = memory_rules_for(run, b200());
  rules.cross_entropy = CrossEntropy::engine_fused;
  EXPECT_TRUE(loss_backward(run, rules).empty());
  rules.cross_entropy = CrossEntropy::unfused;
  EXPECT_DOUBLE_EQ(total(loss_backward(run, rules)).value(), 2 * 4096.0 * 128512 / 4);
}

TEST(Phases, MlpBackwardGathersOnlyWithSequenceParallelism) {
  auto run = proxy();
  const double inner = 2 * 4096.0 * 53248 / 4 * 2;
  EXPECT_DOUBLE_EQ(total(mlp_backward(run)).value(), inner + 128 * mebibyte);
  run.parallel.sequence_parallel = false;
  EXPECT_DOUBLE_EQ(total(mlp_backward(run)).value(), inner);
}

TEST(Phases, UnfusedAttentionBackwardHoldsTwoScoreGradients) {
  auto run = proxy();
  run.training.attention = AttentionKind::unfused;
  EXPECT_DOUBLE_EQ(total(attention_backward(run)).value(), 4 * 128.0 / 4 * 4096 * 4096);
}

TEST(Phases, RingAttentionCollectsKeysValuesAndPartialOutputs) {
  // SEMANTICS 3.5 on the last rank: c KV shards and c outputs, of which one each is saved anyway.
  auto run = proxy();
  EXPECT_TRUE(attention_forward(run).empty());
  run.parallel.context = 4;
  const double tokens = 1024, keys_values = 2 * tokens * 16 / 4 * 128 * 2;
  const double output = tokens * 128 / 4 * 128 * 2;
  EXPECT_DOUBLE_EQ(total(attention_forward(run)).value(), 3 * keys_values + 3 * output);
  run.parallel.context_kind = ContextKind::all_gather;
  EXPECT_DOUBLE_EQ(total(attention_forward(run)).value(), 3 * keys_values);
  run.parallel.context_kind = ContextKind::ulysses;
  EXPECT_TRUE(attention_forward(run).empty());
}

TEST(Phases, RingBackwardRotatesKeysValuesAndTheirGradients) {
  auto run = proxy();
  run.parallel.context = 4;
  const double keys_values = 2 * 1024.0 * 16 / 4 * 128 * 2;
  EXPECT_DOUBLE_EQ(named(attention_backward(run), "keys, values and gradients in the ring"),
                   4 * keys_values);
}

TEST(Phases, ADeferredHeadGradientKeepsLogitsAndInput) {
  EXPECT_DOUBLE_EQ(total(deferred_head_gradient(proxy())).value(), (251 + 128) * mebibyte);
}

TEST(Phases, MessagesAreHiddenStates) {
  EXPECT_DOUBLE_EQ(total(hidden_gradient(proxy(), "x")).value(), 32 * mebibyte);
  EXPECT_DOUBLE_EQ(total(interleaved_messages(proxy())).value(), 3 * 32 * mebibyte);
}

}  // namespace
}  // namespace stepcast

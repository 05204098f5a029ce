#include "sim/memory/activation_memory.hpp"

#include <gtest/gtest.h>

#include "tests/sim/memory/memory_fixtures.hpp"

namespace stepcast {
namespace {

using namespace memory_fixtures;

struct LayerCase {
  std::string name;
  Transformer model;
  std::int64_t sequence, tensor, context;
  bool sequence_parallel;
  AttentionKind attention;
  double expected;
};

Run run_of_layer(const LayerCase& layer) {
  ParallelConfig parallel;
  parallel.tensor = layer.tensor;
  parallel.context = layer.context;
  parallel.sequence_parallel = layer.sequence_parallel;
  TrainingConfig training;
  training.sequence_length = layer.sequence;
  training.global_batch = 1;
  training.attention = layer.attention;
  return make_run(layer.model, parallel, training);
}

constexpr AttentionKind flash = AttentionKind::flash;
constexpr AttentionKind unfused = AttentionKind::unfused;

// semantics_vectors.json mem/act_layer_*: bytes without the norms' statistics.
std::vector<LayerCase> vectors() {
  return {{"gpt3 sp flash", gpt3_175b(), 2048, 8, 1, true, flash, 107053056},
          {"gpt3 no sp flash", gpt3_175b(), 2048, 8, 1, false, flash, 327254016},
          {"gpt3 sp unfused", gpt3_175b(), 2048, 8, 1, true, unfused, 358612992},
          {"gpt3 no sp unfused", gpt3_175b(), 2048, 8, 1, false, unfused, 578813952},
          {"8b t1", llama3_8b(), 8192, 1, 1, true, flash, 1141899264},
          {"8b t2 sp", llama3_8b(), 8192, 2, 1, true, flash, 570949632},
          {"8b t2 no sp", llama3_8b(), 8192, 2, 1, false, flash, 705167360},
          {"70b t8 sp", llama3_70b(), 8192, 8, 1, true, flash, 281280512},
          {"70b t8 no sp", llama3_70b(), 8192, 8, 1, false, flash, 751042560},
          {"405b t8 c2 sp", llama3_405b(), 8192, 8, 2, true, flash, 266600448},
          {"405b t8 c2 no sp", llama3_405b(), 8192, 8, 2, false, flash, 736362496}};
}

TEST(ActivationMemory, LayersMeetTheVectors) {
  for (const LayerCase& layer : vectors())
    EXPECT_DOUBLE_EQ(papers_layer_bytes(run_of_layer(layer)), layer.expected) << layer.name;
}

TEST(ActivationMemory, GptLayersMeetTheClosedFormsOfKorthikanti) {
  // arXiv 2205.05198 Table 2: sbh(34 + 5as/h)/t with and sbh(10 + 24/t + 5as/(ht)) without sequence
  // parallelism.
  const double sbh = 2048.0 * 12288, scores = 5.0 * 96 * 2048 / 12288;
  for (const double tensor : {1.0, 2.0, 4.0, 8.0}) {
    LayerCase layer{"", gpt3_175b(), 2048, static_cast<std::int64_t>(tensor), 1, true, unfused, 0};
    EXPECT_DOUBLE_EQ(papers_layer_bytes(run_of_layer(layer)), sbh * (34 + scores) / tensor);
    layer.sequence_parallel = false;
    EXPECT_DOUBLE_EQ(papers_layer_bytes(run_of_layer(layer)),
                     sbh * (10 + 24 / tensor + scores / tensor));
  }
}

TEST(ActivationMemory, FullRecomputeKeepsTheLayersInput) {
  // mem/act_layer_gpt3_175b: 6,291,456 with and 50,331,648 without sequence parallelism.
  for (const bool split : {true, false}) {
    auto run = run_of_layer({"", gpt3_175b(), 2048, 8, 1, split, unfused, 0});
    run.training.recompute.kind = RecomputeKind::full;
    EXPECT_DOUBLE_EQ(papers_layer_bytes(run), split ? 6291456 : 50331648);
  }
}

TEST(ActivationMemory, ACheckpointMakesAgainWhatItDoesNotKeep) {
  const auto run = run_of_layer({"", gpt3_175b(), 2048, 8, 1, true, unfused, 0});
  const LayerActivations layer = layer_activations(run, memory_rules_for(run, h100()));
  const LayerActivations checkpoint = checkpointed_layer(layer);
  EXPECT_TRUE(checkpoint.mlp.empty());
  const Bytes again = total(checkpoint.recomputed_attention) + total(checkpoint.recomputed_mlp);
  EXPECT_EQ(total(checkpoint.attention) + again, total(layer.attention) + total(layer.mlp));
}

TEST(ActivationMemory, SelectiveRecomputeOfCoreAttentionDropsOnlyScores) {
  // mem/act_layer_gpt3_175b sp_unfused_core_recompute = 34sbh/t.
  auto run = run_of_layer({"", gpt3_175b(), 2048, 8, 1, true, unfused, 0});
  run.training.recompute.kind = RecomputeKind::selective;
  EXPECT_DOUBLE_EQ(papers_layer_bytes(run), 106954752);
  run.training.attention = flash;  // useless with flash attention (SEMANTICS 6.2)
  EXPECT_DOUBLE_EQ(papers_layer_bytes(run), 107053056);
}

TEST(ActivationMemory, RecomputeModulesDropTheirTensors) {
  auto run = run_of_layer({"", llama3_8b(), 8192, 1, 1, true, flash, 0});
  run.training.recompute.kind = RecomputeKind::selective;
  const double tokens = 8192, norm_outputs = 2 * tokens * 4096 * 2, inner = tokens * 3 * 14336 * 2;
  run.training.recompute.modules = {"layernorm"};
  EXPECT_DOUBLE_EQ(papers_layer_bytes(run), 1141899264 - norm_outputs);
  run.training.recompute.modules = {"layernorm", "mlp"};
  EXPECT_DOUBLE_EQ(papers_layer_bytes(run), 1141899264 - norm_outputs - inner);
}

TEST(ActivationMemory, FlashAttentionKeepsALayoutCopyOfSeveralSequences) {
  auto run = run_of_layer({"", llama3_8b(), 1024, 1, 1, true, flash, 0});
  MemoryRules rules = memory_rules_for(run, a100());
  ASSERT_TRUE(rules.flash_layout_copy);
  const auto output = [&] { return bytes_of(saved_by_layer(run, rules), "attention output"); };
  EXPECT_DOUBLE_EQ(output(), 1024.0 * 4096 * 2);
  run.training.micro_batch = 4;
  EXPECT_DOUBLE_EQ(output(), 2 * 4 * 1024.0 * 4096 * 2);
  rules.flash_layout_copy = false;
  EXPECT_DOUBLE_EQ(output(), 4 * 1024.0 * 4096 * 2);
}

TEST(ActivationMemory, UlyssesKeepsTheOutputOnBothSidesOfItsExchange) {
  auto run = run_of_layer({"", llama3_8b(), 8192, 1, 4, true, flash, 0});
  EXPECT_DOUBLE_EQ(bytes_of(saved_by_layer(run), "attention output"), 2048.0 * 4096 * 2);
  run.parallel.context_kind = ContextKind::ulysses;
  EXPECT_DOUBLE_EQ(bytes_of(saved_by_layer(run), "attention output"), 2 * 2048.0 * 4096 * 2);
}

TEST(ActivationMemory, SoftmaxWithoutFusionTakesFourBytes) {
  auto run = run_of_layer({"", gpt3_175b(), 2048, 8, 1, true, unfused, 0});
  MemoryRules rules = memory_rules_for(run, a100());
  rules.masked_softmax_fusion = false;
  const double scores = 96.0 / 8 * 2048 * 2048;
  EXPECT_DOUBLE_EQ(bytes_of(saved_by_layer(run, rules), "attention softmax"), 4 * scores);
}

TEST(ActivationMemory, QueryAndKeyNormsKeepTheirOutputs) {
  auto run = run_of_layer({"", llama3_8b(), 1024, 1, 1, true, flash, 0});
  run.model.qk_norm = true;
  const auto saved = saved_by_layer(run);
  EXPECT_DOUBLE_EQ(bytes_of(saved, "query and key norm output"), 1024.0 * (32 + 8) * 128 * 2);
  // Two RMS norms of the layer and one for each of the 40 heads: 4 bytes a row.
  EXPECT_DOUBLE_EQ(bytes_of(saved, "norm statistics"), 1024.0 * (2 + 40) * 4);
}

TEST(ActivationMemory, MoreOrFewerNormsAddOrDropInputs) {
  auto run = run_of_layer({"", llama3_8b(), 1024, 1, 1, true, flash, 0});
  const double two = papers_layer_bytes(run), hidden_state = 1024.0 * 4096 * 2;
  run.model.norms_per_layer = 4;
  EXPECT_DOUBLE_EQ(papers_layer_bytes(run), two + 2 * hidden_state);
  run.model.norms_per_layer = 1;
  EXPECT_DOUBLE_EQ(papers_layer_bytes(run), two - 2 * hidden_state);
}

TEST(ActivationMemory, BatchInputsDependOnTheEndsOfTheModel) {
  // int64 tokens and positions (16), int64 labels and fp32 loss mask (12), mask of s^2/c bytes.
  auto run = run_of_layer({"", llama3_8b(), 1024, 1, 2, true, flash, 0});
  MemoryRules rules = memory_rules_for(run, h100());
  rules.attention_mask = true;
  EXPECT_DOUBLE_EQ(total(batch_inputs(run, rules, true, true)).value(),
                   512 * 28 + 1024.0 * 1024 / 2);
  EXPECT_TRUE(batch_inputs(run, rules, false, false).empty());
  rules.attention_mask = false;
  EXPECT_DOUBLE_EQ(total(batch_inputs(run, rules, true, false)).value(), 512 * 16);
  EXPECT_DOUBLE_EQ(total(batch_inputs(run, rules, false, true)).value(), 512 * 12);
}

TEST(ActivationMemory, TheEmbeddingKeepsItsDropoutMask) {
  const auto gpt = run_of_layer({"", gpt3_175b(), 2048, 8, 1, true, unfused, 0});
  EXPECT_DOUBLE_EQ(total(embedding_activations(gpt)).value(), 2048.0 * 12288 / 8);
  auto llama = run_of_layer({"", llama3_8b(), 1024, 1, 1, true, flash, 0});
  EXPECT_TRUE(embedding_activations(llama).empty());
  llama.model.embedding_norm = true;
  EXPECT_DOUBLE_EQ(total(embedding_activations(llama)).value(), 1024.0 * (4096 * 2 + 4));
}

TEST(ActivationMemory, TheHeadKeepsItsNormAndTheLossItsLogits) {
  const auto run = run_of_layer({"", llama3_8b(), 8192, 1, 1, true, flash, 0});
  EXPECT_DOUBLE_EQ(total(head_activations(run)).value(), 2 * 8192.0 * 4096 * 2 + 8192 * 4);
  // mem/logits_llama3_8b_tp1: 4,202,692,608 bytes of fp32 softmax.
  MemoryRules rules = memory_rules_for(run, h100());
  rules.cross_entropy = CrossEntropy::unfused;
  EXPECT_DOUBLE_EQ(total(loss_activations(run, rules)).value(), 4202692608);
}

}  // namespace
}  // namespace stepcast

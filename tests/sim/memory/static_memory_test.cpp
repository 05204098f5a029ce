#include "sim/memory/static_memory.hpp"

#include <gtest/gtest.h>

#include "tests/sim/memory/memory_fixtures.hpp"

namespace stepcast {
namespace {

using namespace memory_fixtures;

Run training(Transformer model, ParallelConfig parallel) {
  TrainingConfig config;
  config.sequence_length = 4096;
  config.global_batch = parallel.data;
  return make_run(std::move(model), parallel, config);
}

Bytes of_class(const TensorList& list, TensorClass kind) {
  Bytes sum;
  for (const MemoryTensor& tensor : list)
    if (tensor.kind == kind) sum += tensor.bytes;
  return sum;
}

Bytes named(const TensorList& list, const std::string& name) {
  for (const MemoryTensor& tensor : list)
    if (tensor.name == name) return tensor.bytes;
  return Bytes{0};
}

struct StateCase {
  std::string name;
  DataType parameters, gradients;
  Sharding sharding;
  std::int64_t data;
  double expected;
};

TEST(StaticMemory, BytesPerParameterMeetTheVectors) {
  // semantics_vectors.json dp/bytes_per_param_* and dp/zero_bytes_* (SEMANTICS 5.2).
  constexpr auto bf16 = DataType::bf16, fp16 = DataType::fp16, fp32 = DataType::fp32;
  constexpr auto none = Sharding::none, one = Sharding::optimizer;
  for (const StateCase& state : {StateCase{"bf16", bf16, fp32, none, 8, 18},
                                 {"bf16 1", bf16, fp32, one, 1, 18},
                                 {"bf16 8", bf16, fp32, one, 8, 7.5},
                                 {"bf16 64", bf16, fp32, one, 64, 6.1875},
                                 {"fp16", fp16, fp16, none, 8, 20},
                                 {"fp16 8", fp16, fp16, one, 8, 6},
                                 {"fp16 64", fp16, fp16, one, 64, 4.25},
                                 {"fp32", fp32, fp32, none, 8, 16},
                                 {"fp32 8", fp32, fp32, one, 8, 9},
                                 {"fp32 64", fp32, fp32, one, 64, 8.125},
                                 {"fsdp 8", fp32, fp32, Sharding::parameters, 8, 2},
                                 {"fsdp 64", fp32, fp32, Sharding::parameters, 64, 0.25}}) {
    ParallelConfig parallel;
    parallel.data = state.data;
    parallel.sharding = state.sharding;
    auto run = training(llama3_8b(), parallel);
    run.training.parameter_dtype = state.parameters;
    run.training.gradient_dtype = state.gradients;
    EXPECT_DOUBLE_EQ(state_bytes_per_parameter(run, MemoryRules{}).total(), state.expected)
        << state.name;
  }
}

TEST(StaticMemory, ZeroVariantsOfThePaperShardMoreAndMore) {
  // dp/zero_bytes_d8 without the fp32 gradient copy: 2 + 2 + 12 bytes.
  MemoryRules rules;
  rules.gradient_copy = GradientCopy::never;
  ParallelConfig parallel;
  parallel.data = 8;
  auto run = training(llama3_8b(), parallel);
  run.training.gradient_dtype = DataType::bf16;
  for (const auto& [sharding, expected] : {std::pair{Sharding::none, 16.0},
                                           {Sharding::optimizer, 5.5},
                                           {Sharding::gradients, 3.75},
                                           {Sharding::parameters, 2.0}}) {
    run.parallel.sharding = sharding;
    EXPECT_DOUBLE_EQ(state_bytes_per_parameter(run, rules).total(), expected);
  }
}

TEST(StaticMemory, StatesOfLlamaMeetTheVectors) {
  // dp/llama3_70b_tp4_pp4_cp2_dp2 stage 0 and dp/llama3_8b_tp1_pp1_cp2_dp4.
  ParallelConfig parallel;
  parallel.tensor = 4;
  parallel.pipeline = 4;
  parallel.context = 2;
  parallel.data = 2;
  parallel.sharding = Sharding::optimizer;
  const auto states = [](const auto& run) {
    const TensorList list =
        persistent_tensors(run, memory_rules_for(run, h100()), lay_out_stages(run).stages[0]);
    return (of_class(list, TensorClass::parameter) + of_class(list, TensorClass::gradient) +
            of_class(list, TensorClass::optimizer))
        .value();
  };
  EXPECT_DOUBLE_EQ(states(training(llama3_70b(), parallel)), 40875393024);
  parallel.sharding = Sharding::none;
  EXPECT_DOUBLE_EQ(states(training(llama3_70b(), parallel)), 81750786048);
  parallel.tensor = parallel.pipeline = 1;
  parallel.data = 4;
  parallel.sharding = Sharding::optimizer;
  EXPECT_DOUBLE_EQ(states(training(llama3_8b(), parallel)), 60226959360);
}

// 12 layers of 512, vocabulary 50257 padded to 50304, as Megatron's functional tests train it.
Run small_gpt() {
  Transformer model = gpt3_175b();
  model.layers = 12;
  model.hidden = 512;
  model.heads = model.kv_heads = 8;
  model.head_dim = 64;
  model.ffn = 2048;
  model.vocabulary = 50257;
  model.max_positions = 1024;
  ParallelConfig parallel;
  parallel.data = 8;
  parallel.sharding = Sharding::optimizer;
  return training(model, parallel);
}

TEST(StaticMemory, TheSmallGptIsMetToTheByte) {
  // MEMORY_EXACT 3: 7.5 * 64,109,568 + TE workspace + two cuBLAS workspaces + scalars, as observed
  // on H100.
  const auto run = small_gpt();
  MemoryRules rules = memory_rules_for(run, h100());
  rules.gradient_accumulation_fusion = false;
  const TensorList list = persistent_tensors(run, rules, lay_out_stages(run).stages[0]);
  EXPECT_DOUBLE_EQ(total(list).value(), 581489664);
}

TEST(StaticMemory, DummyGradientsAreKeptOncePerShape) {
  // MEMORY_EXACT 3, 405B proxy at TP4 with 16 key-value heads: 2,540 MiB with the LM head.
  Transformer model = llama3_405b();
  model.kv_heads = 16;
  model.layers = 4;
  ParallelConfig parallel;
  parallel.tensor = 4;
  const auto run = training(model, parallel);
  MemoryRules rules = memory_rules_for(run, b200());
  const auto chunks = lay_out_stages(run).stages[0];
  EXPECT_DOUBLE_EQ(dummy_weight_gradients(run, rules, chunks).value(), 2540.0 * 1048576);
  rules.dummy_head_gradient = false;  // 128,512 / 4 rows of 16,384
  EXPECT_DOUBLE_EQ(dummy_weight_gradients(run, rules, chunks).value(),
                   2540.0 * 1048576 - 2.0 * 128512 / 4 * 16384);
  rules.gradient_accumulation_fusion = false;
  EXPECT_EQ(dummy_weight_gradients(run, rules, chunks), Bytes{0});
}

TEST(StaticMemory, EqualShapesShareADummyGradient) {
  Transformer model = llama3_8b();
  model.kv_heads = model.heads;
  model.gated_mlp = false;
  model.ffn = 3 * 4096;  // FC1 has the shape of QKV
  const auto run = training(model, ParallelConfig{});
  MemoryRules rules = memory_rules_for(run, h100());
  rules.dummy_head_gradient = false;
  const double hidden = 4096;
  EXPECT_DOUBLE_EQ(dummy_weight_gradients(run, rules, lay_out_stages(run).stages[0]).value(),
                   2 * (3 * hidden * hidden + hidden * hidden + 3 * hidden * hidden));
}

TEST(StaticMemory, TheSharedBufferGrowsToItsLargestUse) {
  ParallelConfig parallel;
  parallel.tensor = 4;
  parallel.pipeline = 2;
  parallel.sequence_parallel = true;
  auto run = training(llama3_8b(), parallel);
  MemoryRules rules = memory_rules_for(run, h100());
  const StageLayout layout = lay_out_stages(run);
  const auto buffer = [&](std::size_t stage) {
    return named(persistent_tensors(run, rules, layout.stages[stage]), "global memory buffer");
  };
  EXPECT_EQ(buffer(0), Bytes{0});                  // Transformer Engine gathers elsewhere
  EXPECT_EQ(buffer(1), Bytes{4096.0 * 4096 * 2});  // the LM head's input
  rules.transformer_engine = false;
  EXPECT_EQ(buffer(0), Bytes{4096.0 * 4096 * 2});
  run.training.attention = AttentionKind::unfused;
  EXPECT_EQ(buffer(0), Bytes{32.0 / 4 * 4096 * 4096 * 2});
}

TEST(StaticMemory, GradientCopyExistsBetweenStepsOnly) {
  auto run = small_gpt();
  run.training.precision = run.training.parameter_dtype = run.training.gradient_dtype =
      DataType::fp16;
  MemoryRules rules = memory_rules_for(run, h100());
  const auto chunks = lay_out_stages(run).stages[0];
  EXPECT_DOUBLE_EQ(total(between_steps(run, rules, chunks)).value(), 64109568.0 * 4 / 8);
  EXPECT_EQ(named(persistent_tensors(run, rules, chunks), "fp32 copy of gradients"), Bytes{0});
  rules.gradient_copy = GradientCopy::always;
  EXPECT_TRUE(between_steps(run, rules, chunks).empty());
  EXPECT_EQ(named(persistent_tensors(run, rules, chunks), "fp32 copy of gradients"),
            Bytes{64109568.0 * 4 / 8});
}

TEST(StaticMemory, ShardedBuffersEndOnAMultipleOfShardsAnd128) {
  auto run = small_gpt();
  run.model.layers = 1;
  run.parallel.data = 24;
  const auto chunks = lay_out_stages(run).stages[0];
  const std::int64_t exact = stage_parameters(run, chunks).total();
  ASSERT_NE(exact % 384, 0);
  const TensorList list = persistent_tensors(run, memory_rules_for(run, h100()), chunks);
  const double padded = static_cast<double>((exact / 384 + 1) * 384);
  EXPECT_DOUBLE_EQ(named(list, "gradients").value(), 4 * padded);
  EXPECT_DOUBLE_EQ(named(list, "master parameters").value(), 4 * padded / 24);
}

TEST(StaticMemory, OptimizerInstancesShrinkTheShardGroup) {
  const auto run = small_gpt();
  MemoryRules rules;
  rules.optimizer_instances = 2;
  EXPECT_DOUBLE_EQ(state_bytes_per_parameter(run, rules).total(), 6 + 12.0 * 2 / 8);
}

TEST(StaticMemory, Fp8ParametersTakeOneByteInLinearsOnly) {
  auto run = small_gpt();
  run.training.parameter_dtype = DataType::fp8;
  const auto chunks = lay_out_stages(run).stages[0];
  const StageParameters count = stage_parameters(run, chunks);
  const double table = 50304.0 * 512;  // tied: one table, of the embedding and the head
  const double all = static_cast<double>(count.total());
  const double linears = all - table - static_cast<double>(count.replicated);
  const TensorList hopper = persistent_tensors(run, memory_rules_for(run, h100()), chunks);
  EXPECT_DOUBLE_EQ(named(hopper, "parameters").value(), 2 * all - linears);
  EXPECT_DOUBLE_EQ(named(hopper, "transposed fp8 weights").value(), linears);
  const TensorList blackwell = persistent_tensors(run, memory_rules_for(run, b200()), chunks);
  EXPECT_EQ(named(blackwell, "transposed fp8 weights"), Bytes{0});
}

TEST(StaticMemory, FullyShardedRunsGatherTheRootAndTwoBlocks) {
  // 8B on 8: 16N/8 states and 2 bytes for embedding, head and two of 32 blocks.
  ParallelConfig parallel;
  parallel.data = 8;
  parallel.sharding = Sharding::parameters;
  auto run = training(llama3_8b(), parallel);
  run.framework = Framework::torchtitan;
  run.training.parameter_dtype = DataType::fp32;
  const TensorList list =
      persistent_tensors(run, memory_rules_for(run, h100()), lay_out_stages(run).stages[0]);
  const double parameters = 8030261248, table = 128256.0 * 4096;
  EXPECT_DOUBLE_EQ(named(list, "parameters").value(), 4 * parameters / 8);
  EXPECT_DOUBLE_EQ(named(list, "optimizer moments").value(), 8 * parameters / 8);
  EXPECT_NEAR(named(list, "gathered parameters").value(),
              2 * (2 * table + 2 * (parameters - 2 * table) / 32), 1);
}

}  // namespace
}  // namespace stepcast

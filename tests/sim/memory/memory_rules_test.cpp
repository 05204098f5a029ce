#include "sim/memory/memory_rules.hpp"

#include <gtest/gtest.h>

#include "tests/sim/memory/memory_fixtures.hpp"

namespace stepcast {
namespace {

using namespace memory_fixtures;

constexpr double mebibyte = 1048576;

MemoryRules rules_for(Framework framework, const std::string& release, const DeviceFacts& device,
                      DataType precision = DataType::bf16) {
  TrainingConfig training;
  training.sequence_length = 1024;
  training.global_batch = 1;
  training.precision = precision;
  Run run = make_run(llama3_8b(), ParallelConfig{}, training);
  run.framework = framework;
  run.framework_release = release;
  return memory_rules_for(run, device);
}

TEST(MemoryRules, WorkspacesFollowTheDevice) {
  // MEMORY_EXACT 3: cuBLAS 32 MiB on Hopper, else 8.125; TE 4 MiB on A100, else 32 MiB + 1 KiB.
  const auto core = [](const DeviceFacts& device) {
    return rules_for(Framework::megatron, "", device);
  };
  EXPECT_EQ(core(a100()).cublas_workspace, Bytes{8.125 * mebibyte});
  EXPECT_EQ(core(h100()).cublas_workspace, Bytes{32 * mebibyte});
  EXPECT_EQ(core(b200()).cublas_workspace, Bytes{8.125 * mebibyte});
  EXPECT_EQ(core(a100()).engine_workspace, Bytes{4 * mebibyte});
  EXPECT_EQ(core(h100()).engine_workspace, Bytes{32 * mebibyte + 1024});
  EXPECT_EQ(core(b200()).engine_workspace, Bytes{32 * mebibyte + 1024});
}

TEST(MemoryRules, AnEmptyOrUnknownReleaseIsTheNewest) {
  EXPECT_EQ(rules_for(Framework::megatron, "", h100()).release, "megatron-core");
  EXPECT_EQ(rules_for(Framework::megatron, "megatron-2099", h100()).release, "megatron-core");
  EXPECT_EQ(rules_for(Framework::deepspeed, "", h100()).release, "megatron-deepspeed-2023");
  EXPECT_EQ(rules_for(Framework::torchtitan, "", h100()).release, "torchtitan");
}

TEST(MemoryRules, OldMegatronHasNoTransformerEngine) {
  for (const char* release : {"megatron-2021", "megatron-2022"}) {
    const MemoryRules rules = rules_for(Framework::megatron, release, a100());
    EXPECT_EQ(rules.release, release);
    EXPECT_FALSE(rules.transformer_engine);
    EXPECT_FALSE(rules.dummy_weight_gradients);
    EXPECT_EQ(rules.engine_workspaces, 0);
    EXPECT_EQ(rules.cross_entropy, CrossEntropy::unfused);
  }
}

TEST(MemoryRules, TheNewestMegatronFusesItsLossAndMakesNoMask) {
  const MemoryRules rules = rules_for(Framework::megatron, "", h100());
  EXPECT_EQ(rules.cross_entropy, CrossEntropy::engine_fused);
  EXPECT_FALSE(rules.attention_mask);
  EXPECT_TRUE(rules_for(Framework::megatron, "megatron-2022", a100()).attention_mask);
}

TEST(MemoryRules, NemoFusesTheLossAndNeedsNoMask) {
  const MemoryRules older = rules_for(Framework::megatron, "nemo-24", h100());
  const MemoryRules newer = rules_for(Framework::megatron, "nemo-25", h100());
  EXPECT_EQ(older.cross_entropy, CrossEntropy::native_fused);
  EXPECT_FALSE(older.attention_mask);
  EXPECT_FALSE(older.dummy_weight_gradients);
  EXPECT_TRUE(newer.dummy_weight_gradients);
  EXPECT_FALSE(older.flash_layout_copy);
  EXPECT_TRUE(rules_for(Framework::megatron, "nemo-24-flash2", h100()).flash_layout_copy);
}

TEST(MemoryRules, DeepSpeedKeepsGradientsTwiceInBf16) {
  // MEMORY_EXACT 8: 2 + 2 + 4 derived, one byte more fitted.
  const MemoryRules bf16 = rules_for(Framework::deepspeed, "megatron-deepspeed-2022", a100());
  EXPECT_EQ(bf16.working_gradients + bf16.optimizer_slack, Bytes{3});
  const MemoryRules fp16 =
      rules_for(Framework::deepspeed, "megatron-deepspeed-2022", a100(), DataType::fp16);
  EXPECT_EQ(fp16.working_gradients + fp16.optimizer_slack, Bytes{0});
  EXPECT_EQ(fp16.gradient_copy, GradientCopy::always);
}

TEST(MemoryRules, TorchtitanHasNoneOfMegatronsBuffers) {
  const MemoryRules rules = rules_for(Framework::torchtitan, "", h100());
  EXPECT_FALSE(rules.global_memory_buffer);
  EXPECT_FALSE(rules.keeps_stage_input);
  EXPECT_EQ(rules.cross_entropy, CrossEntropy::float32);
}

TEST(MemoryRules, LossVariantsHaveNamesAndBytes) {
  EXPECT_EQ(name_of(CrossEntropy::unfused), "unfused");
  EXPECT_EQ(name_of(CrossEntropy::native_fused), "native");
  EXPECT_EQ(name_of(CrossEntropy::engine_fused), "te");
  EXPECT_EQ(name_of(CrossEntropy::float32), "float32");
  EXPECT_EQ(bytes_per_logit_in_forward(CrossEntropy::native_fused), Bytes{10});
  EXPECT_EQ(bytes_per_logit_kept(CrossEntropy::engine_fused), Bytes{2});
}

}  // namespace
}  // namespace stepcast

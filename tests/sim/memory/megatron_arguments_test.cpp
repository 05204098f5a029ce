#include "sim/memory/megatron_arguments.hpp"

#include <gtest/gtest.h>

#include "tests/sim/memory/memory_fixtures.hpp"

namespace stepcast {
namespace {

using namespace memory_fixtures;

constexpr double mebibyte = 1048576;

MegatronCase small(const std::string& name = "gpt3_mcore_te_tp2_pp2") {
  MegatronCase job;
  job.name = name;
  job.platform = "dgx_h100";
  job.environment = "dev";
  job.arguments = {{"num-layers", "12"},
                   {"hidden-size", "512"},
                   {"num-attention-heads", "8"},
                   {"micro-batch-size", "4"},
                   {"global-batch-size", "32"},
                   {"seq-length", "1024"},
                   {"bf16", "true"},
                   {"tensor-model-parallel-size", "2"}};
  return job;
}

TEST(MegatronArguments, DefaultsAreMegatrons) {
  const auto run = run_of(small(), small_cluster());
  EXPECT_EQ(run.model.ffn, 2048);
  EXPECT_EQ(run.model.head_dim, 64);
  EXPECT_EQ(run.model.vocabulary, 50257);
  EXPECT_TRUE(run.model.tied_embeddings);
  EXPECT_TRUE(run.model.mlp_bias);
  EXPECT_EQ(run.model.norm, NormKind::layer_norm);
  EXPECT_EQ(run.model.position, PositionKind::learned);
  EXPECT_EQ(run.model.max_positions, 1024);
  EXPECT_DOUBLE_EQ(run.model.hidden_dropout, 0.1);
  EXPECT_EQ(run.parallel.data, 4);
  EXPECT_EQ(run.parallel.sharding, Sharding::none);
  EXPECT_EQ(run.training.gradient_dtype, DataType::fp32);
}

TEST(MegatronArguments, AGatedWidthIsAMultipleOf64) {
  auto job = small();
  job.arguments["swiglu"] = "true";
  EXPECT_EQ(run_of(job, small_cluster()).model.ffn, 1344);  // 8/3 * 512 = 1365 -> 21 * 64
}

TEST(MegatronArguments, Fp16KeepsGradientsInFp16) {
  auto job = small();
  job.arguments.erase("bf16");
  job.arguments["fp16"] = "true";
  EXPECT_EQ(run_of(job, small_cluster()).training.gradient_dtype, DataType::fp16);
}

TEST(MegatronArguments, ContextParallelAndReleaseCasesHaveNoDropout) {
  auto job = small();
  job.arguments["context-parallel-size"] = "2";
  EXPECT_DOUBLE_EQ(run_of(job, small_cluster()).model.hidden_dropout, 0);
  EXPECT_DOUBLE_EQ(run_of(small("gpt3_15b_8t_release"), small_cluster()).model.attention_dropout,
                   0);
}

TEST(MegatronArguments, TheNullTokenizerAddsOneToken) {
  auto job = small();
  job.arguments["tokenizer-type"] = "NullTokenizer";
  job.arguments["vocab-size"] = "131073";
  EXPECT_EQ(run_of(job, small_cluster()).model.vocabulary, 131074);
}

TEST(MegatronArguments, LayersPerVirtualStageBecomeVirtualStages) {
  auto job = small("gpt3_mcore_te_tp1_pp4_vp1_tunable_overlap");
  job.arguments["tensor-model-parallel-size"] = "1";
  job.arguments["pipeline-model-parallel-size"] = "4";
  job.arguments["num-layers-per-virtual-pipeline-stage"] = "1";
  const auto run = run_of(job, small_cluster());
  EXPECT_EQ(run.parallel.virtual_stages, 3);
  EXPECT_EQ(run.parallel.schedule, ScheduleKind::interleaved);
  EXPECT_EQ(run.parallel.microbatch_group, 5);
}

TEST(MegatronArguments, WorldSizesThatAreNotGivenFollowTheCase) {
  EXPECT_EQ(world_size(small()), 8);
  auto job = small("gpt3_mcore_te_tp2_pp2_1node");
  EXPECT_EQ(world_size(job), 8);
  job.platform = "dgx_gb200";
  EXPECT_EQ(world_size(job), 4);
  job = small("gpt3_15b_8t_release");
  EXPECT_EQ(world_size(job), 128);
  job.arguments["tensor-model-parallel-size"] = "8";
  EXPECT_EQ(world_size(job), 256);
  job.world_size = 512;
  EXPECT_EQ(world_size(job), 512);
}

MemoryRules rules_of_case(const MegatronCase& job, const DeviceFacts& device) {
  return rules_of(job, run_of(job, small_cluster()), device);
}

TEST(MegatronArguments, DeterministicModeTakesTheLargeWorkspace) {
  auto job = small();
  EXPECT_EQ(rules_of_case(job, a100()).cublas_workspace, Bytes{8.125 * mebibyte});
  job.arguments["deterministic-mode"] = "true";
  EXPECT_EQ(rules_of_case(job, a100()).cublas_workspace, Bytes{32 * mebibyte});
}

TEST(MegatronArguments, UserBuffersAddThreeWorkspaces) {
  auto job = small();
  job.arguments["tp-comm-overlap"] = "true";
  EXPECT_EQ(rules_of_case(job, h100()).engine_workspaces, 4);
}

TEST(MegatronArguments, LocalLinearsHaveNoEngineAndUnfusedAttention) {
  auto job = small();
  job.arguments["transformer-impl"] = "local";
  const MemoryRules rules = rules_of_case(job, h100());
  EXPECT_FALSE(rules.transformer_engine);
  EXPECT_EQ(rules.engine_workspaces, 0);
  EXPECT_FALSE(rules.dummy_weight_gradients);
  EXPECT_EQ(run_of(job, small_cluster()).training.attention, AttentionKind::unfused);
}

TEST(MegatronArguments, TheAttentionKernelFollowsDeviceAndDeterminism) {
  auto job = small();
  EXPECT_TRUE(rules_of_case(job, a100()).flash_layout_copy);
  EXPECT_FALSE(rules_of_case(job, h100()).flash_layout_copy);  // cuDNN
  EXPECT_FALSE(rules_of_case(job, b200()).flash_layout_copy);
  job.arguments["deterministic-mode"] = "true";
  EXPECT_TRUE(rules_of_case(job, b200()).flash_layout_copy);
  EXPECT_FALSE(rules_of_case(job, h100()).flash_layout_copy);
}

TEST(MegatronArguments, LossFusionNamesItsVariant) {
  auto job = small();
  EXPECT_EQ(rules_of_case(job, h100()).cross_entropy, CrossEntropy::unfused);
  job.arguments["cross-entropy-loss-fusion"] = "true";
  EXPECT_EQ(rules_of_case(job, h100()).cross_entropy, CrossEntropy::native_fused);
  job.arguments["cross-entropy-fusion-impl"] = "te";
  EXPECT_EQ(rules_of_case(job, h100()).cross_entropy, CrossEntropy::engine_fused);
}

TEST(MegatronArguments, NamesTellWhatTheListsLeaveOut) {
  EXPECT_FALSE(
      rules_of_case(small("x_no_create_attention_mask_in_dataloader"), h100()).attention_mask);
  EXPECT_EQ(rules_of_case(small("x_defer_embedding_wgrad_compute"), h100()).deferred_head_gradients,
            2);
  EXPECT_FALSE(rules_of_case(small("x_uninstall_te"), h100()).masked_softmax_fusion);
  EXPECT_TRUE(run_of(small("x_qk_layernorm"), small_cluster()).model.qk_norm);
}

TEST(MegatronArguments, CasesOutsideDenseTrainingSayWhy) {
  auto job = small();
  EXPECT_FALSE(out_of_scope(job));
  job.arguments["num-experts"] = "8";
  EXPECT_EQ(out_of_scope(job), "mixture of experts");
  job = small();
  job.arguments["multi-latent-attention"] = "true";
  EXPECT_EQ(out_of_scope(job), "latent attention");
  job = small();
  job.arguments["use-megatron-fsdp"] = "true";
  EXPECT_EQ(out_of_scope(job), "Megatron FSDP");
  EXPECT_EQ(out_of_scope(small("x_distill_y")), "a teacher model runs beside it");
}

TEST(MegatronArguments, StaleRowsAreKnownByName) {
  auto job = small("gpt3_15b_8t_release_sm_gb200");
  EXPECT_TRUE(is_stale(job));
  job.platform = "dgx_gb200";
  EXPECT_FALSE(is_stale(job));
  job = small("gpt3_mcore_te_tp1_pp4_resume_torch_dist_swiglu");
  EXPECT_FALSE(is_stale(job));
  job.environment = "lts";
  EXPECT_TRUE(is_stale(job));
}

}  // namespace
}  // namespace stepcast

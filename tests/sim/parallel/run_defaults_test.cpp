#include "sim/parallel/run_defaults.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

TEST(RunDefaults, OnlyTorchtitanTurnsSequenceParallelOnWithTensor) {
  EXPECT_FALSE(default_sequence_parallel(Framework::megatron, 8));
  EXPECT_FALSE(default_sequence_parallel(Framework::deepspeed, 8));
  EXPECT_TRUE(default_sequence_parallel(Framework::torchtitan, 8));
  EXPECT_FALSE(default_sequence_parallel(Framework::torchtitan, 1));
}

TEST(RunDefaults, OnlyTorchtitanShardsByItself) {
  EXPECT_EQ(default_sharding(Framework::megatron), Sharding::none);
  EXPECT_EQ(default_sharding(Framework::deepspeed), Sharding::none);
  EXPECT_EQ(default_sharding(Framework::torchtitan), Sharding::parameters);
}

TEST(RunDefaults, VirtualStagesAskForInterleaving) {
  EXPECT_EQ(default_schedule(1), ScheduleKind::one_f_one_b);
  EXPECT_EQ(default_schedule(2), ScheduleKind::interleaved);
}

TEST(RunDefaults, OnlyTorchtitanCountsTheEndsOfAPipeline) {
  EXPECT_FALSE(default_counts_ends_as_layers(Framework::megatron, 4));
  EXPECT_TRUE(default_counts_ends_as_layers(Framework::torchtitan, 4));
  EXPECT_FALSE(default_counts_ends_as_layers(Framework::torchtitan, 1));
}

TEST(RunDefaults, FormatsFollowThePrecision) {
  EXPECT_EQ(default_parameter_dtype(Framework::megatron, DataType::fp16), DataType::fp16);
  EXPECT_EQ(default_parameter_dtype(Framework::megatron, DataType::fp8), DataType::bf16);
  EXPECT_EQ(default_parameter_dtype(Framework::torchtitan, DataType::bf16), DataType::fp32);
  EXPECT_EQ(default_gradient_dtype(DataType::bf16), DataType::fp32);
  EXPECT_EQ(default_gradient_dtype(DataType::fp16), DataType::fp16);
}

TEST(RunDefaults, OverlapIsOffButForInterleavedExchangesAndFsdp) {
  const auto plain =
      default_overlap(Framework::megatron, ScheduleKind::one_f_one_b, Sharding::optimizer);
  EXPECT_FALSE(plain.grad_reduce || plain.param_gather || plain.tensor || plain.pipeline);
  EXPECT_TRUE(
      default_overlap(Framework::megatron, ScheduleKind::interleaved, Sharding::none).pipeline);
  const auto fsdp =
      default_overlap(Framework::torchtitan, ScheduleKind::one_f_one_b, Sharding::parameters);
  EXPECT_TRUE(fsdp.grad_reduce && fsdp.param_gather);
}

}  // namespace
}  // namespace stepcast

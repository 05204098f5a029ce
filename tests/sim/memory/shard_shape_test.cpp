#include "sim/memory/shard_shape.hpp"

#include <gtest/gtest.h>

#include "tests/sim/memory/memory_fixtures.hpp"

namespace stepcast {
namespace {

using namespace memory_fixtures;

Run llama70b(std::int64_t tensor, bool sequence_parallel) {
  ParallelConfig parallel;
  parallel.tensor = tensor;
  parallel.sequence_parallel = sequence_parallel;
  TrainingConfig training;
  training.sequence_length = 8192;
  training.global_batch = 1;
  return make_run(llama3_70b(), parallel, training);
}

TEST(ShardShape, SequenceParallelSplitsOnlyTheResidual) {
  // SEMANTICS 2.3: 70B, 8192 tokens, 8 ranks: a hidden state has 134,217,728 bytes.
  const ShardShape shape = shard_shape(llama70b(8, true));
  EXPECT_DOUBLE_EQ(shape.gathered_bytes, 134217728);
  EXPECT_DOUBLE_EQ(shape.residual_bytes, 134217728.0 / 8);
  EXPECT_DOUBLE_EQ(shard_shape(llama70b(8, false)).residual_bytes, 134217728);
}

TEST(ShardShape, WidthsFollowTheTensorSplit) {
  const ShardShape shape = shard_shape(llama70b(8, true));
  EXPECT_DOUBLE_EQ(shape.query_width, 64 * 128 / 8);
  EXPECT_DOUBLE_EQ(shape.key_value_width, 8 * 128 / 8);
  EXPECT_DOUBLE_EQ(shape.mlp_width, 28672 / 8);
  EXPECT_DOUBLE_EQ(shape.logits, 8192.0 * 129024 / 8);  // vocabulary padded to 128 * 8
}

TEST(ShardShape, ARankUsesOneKeyValueHeadAtLeast) {
  EXPECT_DOUBLE_EQ(shard_shape(llama70b(16, true)).key_value_width, 128);
}

TEST(ShardShape, ContextSplitsTokensAndScores) {
  auto run = llama70b(1, false);
  run.parallel.context = 4;
  const ShardShape shape = shard_shape(run);
  EXPECT_DOUBLE_EQ(shape.tokens, 8192 / 4);
  EXPECT_DOUBLE_EQ(shape.score_elements, 64.0 * 8192 * 8192 / 4);
}

TEST(ShardShape, OnlyFp32ActivationsTakeFourBytes) {
  auto run = llama70b(1, false);
  run.training.precision = DataType::fp8;
  EXPECT_DOUBLE_EQ(shard_shape(run).element, 2);
  run.training.precision = DataType::fp32;
  EXPECT_DOUBLE_EQ(shard_shape(run).element, 4);
}

}  // namespace
}  // namespace stepcast

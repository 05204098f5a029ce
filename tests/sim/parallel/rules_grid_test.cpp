#include <gmock/gmock.h>

#include "run_fixtures.hpp"
#include "sim/parallel/rules_detail.hpp"

namespace stepcast {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing_runs::messages_with;
using testing_runs::run_with;

TEST(GridRules, TheModelGroupDividesTheCluster) {
  EXPECT_THAT(messages_with({"parallel.tensor=8", "parallel.pipeline=5"}),
              ElementsAre("run.json: parallel.tensor * parallel.pipeline * parallel.context = 40: "
                          "must divide the 64 GPUs of dgx-h100:8"));
}

TEST(GridRules, TheModelGroupFitsTheCluster) {
  EXPECT_THAT(messages_with({"parallel.tensor=8", "parallel.pipeline=16"}),
              ElementsAre("run.json: parallel.tensor * parallel.pipeline * parallel.context = 128: "
                          "must divide the 64 GPUs of dgx-h100:8"));
}

TEST(GridRules, DataDividesWhatIsLeft) {
  EXPECT_THAT(messages_with({"parallel.tensor=8", "parallel.data=3", "training.global_batch=300"}),
              ElementsAre("run.json: parallel.data = 3: must divide the 8 data-parallel ranks that "
                          "tensor 8 * pipeline 1 * context 1 leave of the 64 GPUs of dgx-h100:8 "
                          "(try 1, 2, 4, 8)"));
}

TEST(GridRules, DataCannotExceedWhatIsLeft) {
  EXPECT_THAT(messages_with({"parallel.tensor=8", "parallel.data=16"}),
              ElementsAre("run.json: parallel.data = 16: must divide the 8 data-parallel ranks "
                          "that tensor 8 * pipeline 1 * context 1 leave of the 64 GPUs of "
                          "dgx-h100:8 (try 1, 2, 4, 8)"));
}

TEST(GridRules, HugeDegreesAreRefusedWithoutOverflow) {
  EXPECT_THAT(messages_with({"parallel.tensor=1048576", "parallel.pipeline=1048576",
                             "parallel.context=1048576", "parallel.data=1048576",
                             "parallel.virtual_stages=1048576"}),
              testing::Not(IsEmpty()));
}

TEST(GridRules, TensorDividesHeadsKvHeadsAndWidth) {
  // 28 heads: 1, 2, 4, 7, 14, 28 divide them; 4 KV heads leave 1, 2, 4 and 28, the node 1, 2, 4.
  EXPECT_THAT(messages_with({"model=qwen2.5-7b", "parallel.tensor=8"}),
              Contains("run.json: parallel.tensor = 8: must divide the 28 attention heads of "
                       "qwen2.5-7b (try 1, 2, 4)"));
  EXPECT_THAT(messages_with({"parallel.tensor=3"}),
              ElementsAre("run.json: parallel.tensor * parallel.pipeline * parallel.context = 3: "
                          "must divide the 64 GPUs of dgx-h100:8",
                          "run.json: parallel.tensor = 3: must divide the 64 attention heads of "
                          "llama-3-70b (try 1, 2, 4, 8)",
                          "run.json: parallel.tensor = 3: must divide the 8 KV heads of "
                          "llama-3-70b or be a multiple of them (try 1, 2, 4, 8)",
                          "run.json: parallel.tensor = 3: must divide the MLP width 28672 of "
                          "llama-3-70b (try 1, 2, 4, 8)",
                          testing::HasSubstr("training.global_batch = 512")));
}

TEST(GridRules, OnlyMegatronReplicatesKvHeads) {
  EXPECT_THAT(messages_with({"parallel.tensor=16"}), IsEmpty());
  EXPECT_THAT(
      messages_with({"parallel.tensor=16", "framework=torchtitan", "parallel.sharding=none"}),
      ElementsAre("run.json: parallel.tensor = 16: must divide the 8 KV heads of "
                  "llama-3-70b (try 1, 2, 4, 8)"));
}

TEST(GridRules, SequenceParallelSplitsTheSequence) {
  EXPECT_THAT(messages_with({"parallel.tensor=8", "parallel.sequence_parallel=true",
                             "training.sequence_length=8196"}),
              ElementsAre("run.json: parallel.tensor = 8: must divide sequence_length / context = "
                          "8196 with sequence_parallel (try 1, 2, 4)"));
  EXPECT_THAT(messages_with({"parallel.tensor=8", "training.sequence_length=8196"}), IsEmpty());
}

TEST(GridRules, ContextCutsTheSequenceIntoPairsOfChunks) {
  EXPECT_THAT(messages_with({"parallel.context=4", "training.sequence_length=8190"}),
              ElementsAre("run.json: training.sequence_length = 8190: must be a multiple of 2 * "
                          "context = 8 (try 8184, 8192)"));
}

TEST(GridRules, RingContextHasNoSlidingWindowAndNeedsFlash) {
  EXPECT_THAT(messages_with({"model=gemma-2-9b", "parallel.context=2"}),
              ElementsAre("run.json: parallel.context_kind = ring: gemma-2-9b has a sliding window "
                          "of 4096, which needs all_gather or ulysses"));
  EXPECT_THAT(messages_with({"parallel.context=2", "training.attention=unfused"}),
              ElementsAre("run.json: training.attention = unfused: parallel.context > 1 needs "
                          "flash attention (try flash)"));
}

TEST(GridRules, UlyssesSplitsTheHeadsOfATensorRank) {
  EXPECT_THAT(
      messages_with({"parallel.tensor=8", "parallel.context=2", "parallel.context_kind=ulysses"}),
      Contains("run.json: parallel.context = 2: must divide the 8 attention and 1 KV heads "
               "of a tensor rank with context_kind ulysses"));
}

TEST(GridRules, ExpertsBelongToMixtures) {
  EXPECT_THAT(messages_with({"parallel.expert=2"}),
              Contains("run.json: parallel.expert = 2: llama-3-70b has no experts (try 1)"));
  EXPECT_THAT(messages_with({"model=mixtral-8x7b", "parallel.expert=3"}),
              Contains("run.json: parallel.expert = 3: must divide the 8 experts of mixtral-8x7b "
                       "(try 1, 2, 4, 8)"));
  EXPECT_THAT(messages_with({"model=mixtral-8x7b", "parallel.tensor=2"}),
              Contains("run.json: parallel.sequence_parallel = false: a mixture of experts with "
                       "parallel.tensor > 1 needs it (try true)"));
  // World 64, pipeline 2: 32 ranks a stage; expert 8 * expert_tensor 8 = 64.
  EXPECT_THAT(messages_with({"model=mixtral-8x7b", "parallel.expert=8", "parallel.pipeline=2",
                             "parallel.expert_tensor=8"}),
              Contains("run.json: parallel.expert * parallel.expert_tensor = 64: must divide the "
                       "32 ranks of a pipeline stage (try 1, 2, 4, 8, 16, 32)"));
}

TEST(GridRules, TheBatchIsAMultipleOfMicroBatchTimesData) {
  EXPECT_THAT(messages_with({"parallel.tensor=4", "training.global_batch=100"}),
              ElementsAre("run.json: training.global_batch = 100: must be a multiple of "
                          "micro_batch 1 * data 16 = 16 (try 96, 112)"));
}

TEST(GridRules, ValidTensorSizesBreakNoRule) {
  const auto run = run_with({});
  EXPECT_EQ(detail::valid_tensor_sizes(run), (std::vector<std::int64_t>{1, 2, 4, 8}));
  for (const std::int64_t size : detail::valid_tensor_sizes(run))
    EXPECT_THAT(messages_with({"parallel.tensor=" + std::to_string(size)}), IsEmpty());
}

}  // namespace
}  // namespace stepcast

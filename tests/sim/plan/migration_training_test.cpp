#include "sim/plan/migration_training.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/parallel/run_fixtures.hpp"
#include "tests/sim/plan/migration_fixtures.hpp"

namespace stepcast {
namespace {

using namespace migration_fixtures;
using testing::HasSubstr;
using testing::IsEmpty;

// [v: rng/seed1234]
TEST(RandomSeeds, FollowTheRank) {
  SKIP_WITHOUT_VECTORS(vectors);
  const auto vector = testing_runs::vector_named(vectors, "rng/seed1234");
  const auto& in = vector["inputs"];
  const RandomSeeds seeds = random_seeds(in["seed"], {.pipeline = in["pp_rank"],
                                                      .tensor = in["tp_rank"],
                                                      .expert = in["ep_rank"],
                                                      .expert_tensor = in["etp_rank"],
                                                      .data = in["dp_rank"]});
  EXPECT_EQ(vector["expected"]["default"], seeds.everyone);
  EXPECT_EQ(vector["expected"]["default_dp_random_init"], seeds.by_data);
  EXPECT_EQ(vector["expected"]["tensor_parallel_tracker"], seeds.tensor);
  EXPECT_EQ(vector["expected"]["expert_tracker"], seeds.expert);
}

// [v: data/sample_assignment]
TEST(SamplesOf, StrideOverTheDataRanks) {
  SKIP_WITHOUT_VECTORS(vectors);
  const auto vector = testing_runs::vector_named(vectors, "data/sample_assignment");
  SampleOrder order{.consumed = vector["inputs"]["consumed"],
                    .global_batch = vector["inputs"]["gbs"],
                    .micro_batch = 2,
                    .data = 2};
  for (std::int64_t rank = 0; rank < 2; ++rank)
    EXPECT_EQ(vector["expected"]["dp2_mbs2"]["dp" + std::to_string(rank)], samples_of(order, rank));
  order.micro_batch = 1;
  order.data = 4;
  for (std::int64_t rank = 0; rank < 4; ++rank)
    EXPECT_EQ(vector["expected"]["dp4_mbs1"]["dp" + std::to_string(rank)], samples_of(order, rank));
}

TEST(RandomVerdict, KeepsTheStateWithTensorAndPipeline) {
  const auto same = random_verdict(tiny_run(8, {"parallel.tensor=2"}),
                                   tiny_run(8, {"parallel.tensor=2", "parallel.context=2"}));
  EXPECT_TRUE(same.state_kept);
  EXPECT_THAT(same.verdict, HasSubstr("is loaded and goes on"));
  const auto changed =
      random_verdict(tiny_run(8, {"parallel.tensor=2"}), tiny_run(8, {"parallel.tensor=4"}));
  EXPECT_FALSE(changed.state_kept);
  EXPECT_EQ(changed.verdict,
            "tensor 2 -> 4, pipeline 1: the checkpoint's random state is ignored and the streams "
            "start again from the seed; tiny has no dropout, so the steps after a load draw "
            "nothing");
}

// Seeds 1234 + 2718 = 3952 for tensor rank 0, one more for each further rank.
TEST(RandomVerdict, NamesTheStreamOfEveryDropout) {
  auto from = tiny_run(8, {"parallel.tensor=2"}), to = tiny_run(8, {"parallel.tensor=4"});
  from.model.hidden_dropout = to.model.hidden_dropout = 0.1;
  from.model.attention_dropout = to.model.attention_dropout = 0.1;
  const auto verdict = random_verdict(from, to);
  ASSERT_EQ(verdict.regions.size(), 4U);
  EXPECT_EQ(verdict.regions[0].consequence, "seeds unchanged (1234)");
  EXPECT_EQ(verdict.regions[1].consequence, "seeds 3952 .. 3953 become 3952 .. 3955");
  to.parallel.sequence_parallel = true;
  EXPECT_EQ(random_verdict(from, to).regions[0].consequence,
            "moves to the other stream, because sequence_parallel changes");
}

TEST(DataOrderVerdict, KeepsTheSetAndMovesTheSamples) {
  const auto verdict = data_order_verdict(tiny_run(8, {"parallel.tensor=2"}), tiny_run(8));
  EXPECT_TRUE(verdict.same_samples);
  EXPECT_FALSE(verdict.same_ranks);
  EXPECT_EQ(verdict.verdict,
            "the same 16 samples in each step, on other ranks or in other portions. Before: sample "
            "i of a step goes to data rank i mod 4, in its micro-batch i / 4. After: sample i of a "
            "step goes to data rank i mod 8, in its micro-batch i / 8");
}

TEST(DataOrderVerdict, IsUnchangedByModelParallelismAlone) {
  const auto verdict =
      data_order_verdict(tiny_run(8, {"parallel.tensor=2"}), tiny_run(8, {"parallel.pipeline=2"}));
  EXPECT_TRUE(verdict.same_samples && verdict.same_ranks);
}

TEST(DataOrderVerdict, EndsStepsElsewhereWithAnotherBatch) {
  const auto verdict = data_order_verdict(tiny_run(8), tiny_run(8, {"training.global_batch=32"}));
  EXPECT_FALSE(verdict.same_samples);
  EXPECT_THAT(verdict.verdict, HasSubstr("32 samples a step instead of 16"));
}

TEST(DataOrderVerdict, CutsTheDataAnewWithAnotherLength) {
  const auto verdict =
      data_order_verdict(tiny_run(8), tiny_run(8, {"training.sequence_length=256"}));
  EXPECT_FALSE(verdict.same_samples);
  EXPECT_THAT(verdict.verdict, HasSubstr("256 tokens instead of 128"));
}

TEST(LossVerdict, CountsThePortionsOfTheMean) {
  EXPECT_TRUE(
      loss_verdict(tiny_run(8, {"parallel.tensor=2"}), tiny_run(8, {"parallel.pipeline=2"})).same);
  const auto verdict = loss_verdict(tiny_run(8), tiny_run(8, {"parallel.tensor=2"}));
  EXPECT_FALSE(verdict.same);
  EXPECT_THAT(verdict.verdict, HasSubstr("4 micro-batches of 1 on 4 data ranks instead of 2 "
                                         "micro-batches of 1 on 8 data ranks"));
}

}  // namespace
}  // namespace stepcast

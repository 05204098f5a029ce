#include "sim/parallel/rank_groups.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "run_fixtures.hpp"

namespace stepcast {
namespace {

using Groups = std::vector<std::vector<std::uint32_t>>;

ParallelConfig degrees(std::int64_t tensor, std::int64_t context, std::int64_t data,
                       std::int64_t pipeline) {
  ParallelConfig parallel;
  parallel.tensor = tensor;
  parallel.context = context;
  parallel.data = data;
  parallel.pipeline = pipeline;
  return parallel;
}

TEST(RankGroups, MatchMegatronsDocstringExample) {
  // 16 GPUs, tensor 2, pipeline 4, data 2: Megatron-LM core/parallel_state.py.
  const ParallelConfig parallel = degrees(2, 1, 2, 4);
  const Groups data = rank_groups(parallel, GroupKind::data);
  EXPECT_EQ(data.size(), 8U);
  EXPECT_EQ(data[0], (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(data[1], (std::vector<std::uint32_t>{1, 3}));
  EXPECT_EQ(rank_groups(parallel, GroupKind::tensor)[0], (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(rank_groups(parallel, GroupKind::pipeline)[0],
            (std::vector<std::uint32_t>{0, 4, 8, 12}));
}

TEST(RankGroups, MatchTheVectorOfRankZero) {
  SKIP_WITHOUT_VECTORS(vectors);
  const auto expected = testing_runs::vector_named(vectors, "ranks/tp8_cp2_dp2_pp4")["expected"];
  const ParallelConfig parallel = degrees(8, 2, 2, 4);
  const auto first = [&](GroupKind kind) { return rank_groups(parallel, kind).front(); };
  EXPECT_EQ(first(GroupKind::tensor), expected["tp"].get<std::vector<std::uint32_t>>());
  EXPECT_EQ(first(GroupKind::context), expected["cp"].get<std::vector<std::uint32_t>>());
  EXPECT_EQ(first(GroupKind::data), expected["dp"].get<std::vector<std::uint32_t>>());
  EXPECT_EQ(first(GroupKind::data_context), expected["dp_cp"].get<std::vector<std::uint32_t>>());
  EXPECT_EQ(first(GroupKind::pipeline), expected["pp"].get<std::vector<std::uint32_t>>());
  EXPECT_EQ(first(GroupKind::embedding), expected["embedding"].get<std::vector<std::uint32_t>>());
}

TEST(RankGroups, ModelGroupsHoldTensorAndPipelineRanks) {
  // tensor 2, data 2, pipeline 2: rank = t + 2 * (d + 2 * p).
  EXPECT_EQ(rank_groups(degrees(2, 1, 2, 2), GroupKind::model),
            (Groups{{0, 1, 4, 5}, {2, 3, 6, 7}}));
}

TEST(RankGroups, WithoutPipelineAnEmbeddingGroupIsOneRank) {
  EXPECT_EQ(rank_groups(degrees(1, 1, 2, 1), GroupKind::embedding), (Groups{{0}, {1}}));
}

TEST(RankGroups, FollowAnotherOrder) {
  // tp-cp-pp-dp as in Llama 3: data outermost, rank = t + 2 * (p + 2 * d).
  ParallelConfig parallel = degrees(2, 1, 2, 2);
  parallel.order = "tp-cp-ep-pp-dp";
  EXPECT_EQ(rank_groups(parallel, GroupKind::pipeline)[0], (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(rank_groups(parallel, GroupKind::data)[0], (std::vector<std::uint32_t>{0, 4}));
}

TEST(RankGroups, EachKindPartitionsAllRanks) {
  const ParallelConfig parallel = degrees(2, 3, 4, 5);
  for (const GroupKind kind : {GroupKind::tensor, GroupKind::context, GroupKind::data,
                               GroupKind::data_context, GroupKind::pipeline, GroupKind::model}) {
    std::vector<std::uint32_t> all;
    for (const auto& group : rank_groups(parallel, kind))
      all.insert(all.end(), group.begin(), group.end());
    std::sort(all.begin(), all.end());
    std::vector<std::uint32_t> expected(120);
    std::iota(expected.begin(), expected.end(), 0U);
    EXPECT_EQ(all, expected);
  }
}

TEST(RankGroups, OfAStageAreThoseWhoseRanksLieThere) {
  const ParallelConfig parallel = degrees(2, 1, 2, 2);
  EXPECT_EQ(rank_groups_of_stage(parallel, GroupKind::tensor, 1), (Groups{{4, 5}, {6, 7}}));
  EXPECT_EQ(rank_groups_of_stage(parallel, GroupKind::data, 0), (Groups{{0, 2}, {1, 3}}));
}

TEST(RankGroups, CoordinatesAndRanksAreInverse) {
  for (const char* order : {"tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp", "pp-dp-cp-tp-ep"}) {
    ParallelConfig parallel = degrees(2, 3, 4, 5);
    parallel.order = order;
    for (std::uint32_t rank = 0; rank < 120; ++rank)
      EXPECT_EQ(rank_of(parallel, coordinates_of(parallel, rank)), rank) << order;
  }
}

}  // namespace
}  // namespace stepcast

#include "sim/plan/advice_conditions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/plan/advice_fixtures.hpp"

namespace stepcast {
namespace {

using test::advice_request;
using test::h100;

std::vector<RuleEvaluation> conditions(const SearchRequest& request,
                                       const std::vector<GroupSupply>& groups = {}) {
  AdviceCase advice(request, h100());
  return conditions_of(advice, choose(advice), groups);
}

TEST(AdviceConditions, AReplicaOfASmallModelFitsWithAShortSequence) {
  EXPECT_TRUE(conditions(advice_request("llama-3-8b", 8, 1024, 64))[0].holds);
  EXPECT_FALSE(conditions(advice_request("llama-3-70b", 8, 1024, 64))[0].holds);
}

TEST(AdviceConditions, OneLayerOf70BFits) {
  EXPECT_TRUE(conditions(advice_request("llama-3-70b", 8, 8192, 128))[1].holds);
}

TEST(AdviceConditions, ALongSequenceIsLongByItsWork) {
  const auto usual = conditions(advice_request("llama-3-8b", 8, 1024, 64))[2];
  EXPECT_EQ(usual.id, "c3");
  EXPECT_FALSE(usual.holds);
  const auto longer = conditions(advice_request("llama-3-70b", 8, 131072, 32))[2];
  EXPECT_EQ(longer.id, "c3.work");
  EXPECT_TRUE(longer.holds);
}

TEST(AdviceConditions, AGroupThatGetsLessThanItDemandsIsFlagged) {
  Strategy fine, poor, blocking, unused;
  fine.name = "cp";
  fine.hide_bandwidth = 10e9;
  fine.supplied_bandwidth = 20e9;
  poor = fine;
  poor.name = "dp";
  poor.hide_bandwidth = 30e9;
  blocking.name = "tp";
  blocking.tier = "nic";
  unused.used = false;
  const auto groups = group_supplies({fine, poor, blocking, unused});
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_FALSE(groups[0].flagged);
  EXPECT_TRUE(groups[1].flagged);
  EXPECT_TRUE(groups[2].flagged);  // blocks in every layer, beyond NVLink
  const auto c4 = conditions(advice_request("llama-3-8b", 1, 1024, 8), groups)[3];
  EXPECT_EQ(c4.value, 2.0);
  EXPECT_FALSE(c4.holds);
}

TEST(AdviceConditions, TheCeilingIsNamedWhenThereIsOne) {
  SearchRequest request = advice_request("llama-3-8b", 1, 1024, 8);
  EXPECT_EQ(conditions(request)[4].id, "c5.free");
  EXPECT_EQ(conditions(request)[4].threshold, std::nullopt);
  request.limits.complexity = 3;
  EXPECT_EQ(conditions(request)[4].id, "c5");
  EXPECT_EQ(conditions(request)[4].threshold, 3.0);
}

TEST(AdviceConditions, NotesAreOfWhatTheRunUses) {
  const SearchRequest request = advice_request("llama-3-8b", 1, 1024, 8);
  const AdviceCase advice(request, h100());
  auto run = request.bases.front();
  run.parallel.tensor = 2;
  run.parallel.pipeline = 2;
  run.overlap = {};
  run.training.attention = AttentionKind::unfused;
  std::vector<std::string> ids;
  for (const Statement& note : notes_of(run, advice)) ids.push_back(note.id);
  EXPECT_THAT(ids, testing::ElementsAre("note.unfused", "note.no_sequence_parallel",
                                        "note.redundant_transfers"));
}

}  // namespace
}  // namespace stepcast

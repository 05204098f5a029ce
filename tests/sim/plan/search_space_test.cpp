#include "sim/plan/search_space.hpp"

#include <gtest/gtest.h>

#include <set>

#include "sim/parallel/rules.hpp"
#include "sim/parallel/scope.hpp"
#include "tests/sim/plan/plan_fixtures.hpp"

namespace stepcast {
namespace {

using Degrees = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;

std::set<Degrees> degrees_of(const SearchSpace& space) {
  std::set<Degrees> found;
  for (const SearchUnit& unit : space.units())
    found.insert({unit.tensor, unit.pipeline, unit.context, unit.data});
  return found;
}

TEST(SearchSpace, HasEveryCombinationOfDegreesThatIsValid) {
  const SearchRequest request = test::small_search();
  const SearchSpace space(request);
  // 2^3 splits into four factors in C(3 + 3, 3) = 20 ways; the model (8 heads, 4 of keys, 8 layers)
  // takes them all, and 4 keys go on 8 ranks by replication.
  EXPECT_EQ(degrees_of(space).size(), 20U);
  EXPECT_EQ(space.invalid_units(), 0);
}

TEST(SearchSpace, EachCandidateIsValidAndDifferent) {
  for (const char* framework : {"megatron", "torchtitan", "deepspeed"}) {
    const SearchRequest request =
        test::small_search({8, 12}, {"framework=" + std::string(framework),
                                     "parallel.sharding=optimizer", "training.global_batch=24"});
    const SearchSpace space(request);
    test::h100_costs();
    CandidateModel model(request, test::h100(), test::h100_costs());
    std::set<std::string> seen;
    std::size_t count = 0;
    test::for_each_variant(request, space, model, [&](const Candidate& variant, const auto& base) {
      const auto run = run_of(variant, base);
      const std::vector<Problem> problems = check_rules(run);
      ASSERT_TRUE(problems.empty()) << to_string(problems.front());
      ASSERT_TRUE(check_scope(run).empty());
      seen.insert(to_json(run).dump());
      ++count;
    });
    EXPECT_GT(count, 100U) << framework;
    EXPECT_EQ(seen.size(), count) << framework;
  }
}

TEST(SearchSpace, HasEveryValidVariantOfOneCombination) {
  const SearchRequest request = test::small_search({4}, {"training.global_batch=4"});
  const SearchSpace space(request);
  std::set<std::string> found;
  CandidateModel model(request, test::h100(), test::h100_costs());
  test::for_each_variant(request, space, model, [&](const Candidate& variant, const auto& base) {
    found.insert(to_json(run_of(variant, base)).dump());
  });
  // What a person would write down for TP 2, PP 2 without looking at the search.
  for (const std::int64_t virtual_stages : {1, 2, 4})
    for (const bool sequence_parallel : {false, true})
      for (const std::int64_t micro_batch : {1, 2, 4})
        for (std::int64_t layers = 0; layers <= 4 / virtual_stages; ++layers) {
          if (virtual_stages > 1 && 4 / micro_batch < 2) continue;  // fewer than a group
          Candidate candidate{.tensor = 2,
                              .pipeline = 2,
                              .virtual_stages = virtual_stages,
                              .micro_batch = micro_batch,
                              .sequence_parallel = sequence_parallel,
                              .order = RankOrder::data_inside,
                              .split = StageSplit::even};
          if (virtual_stages > 1) candidate.schedule = ScheduleKind::interleaved;
          if (layers > 0) candidate.recompute = RecomputeKind::full;
          candidate.recompute_layers = layers;
          EXPECT_TRUE(found.contains(to_json(run_of(candidate, request.bases.front())).dump()))
              << virtual_stages << sequence_parallel << micro_batch << layers;
        }
}

TEST(SearchSpace, PinnedMembersStay) {
  SearchRequest request = test::small_search(
      {8}, {"parallel.tensor=2", "parallel.context=2", "training.micro_batch=2"});
  request.pinned = {"tensor", "context", "micro_batch"};
  const SearchSpace space(request);
  ASSERT_FALSE(space.units().empty());
  for (const SearchUnit& unit : space.units()) {
    EXPECT_EQ(unit.tensor, 2);
    EXPECT_EQ(unit.context, 2);
    std::int64_t invalid = 0;
    for (const Candidate& family : space.families(unit, invalid)) EXPECT_EQ(family.micro_batch, 2);
  }
}

TEST(SearchSpace, LimitsHold) {
  SearchRequest request = test::small_search();
  request.limits = {.tensor = 2, .pipeline = 4, .context = 1, .micro_batch = 1, .complexity = 2};
  const SearchSpace space(request);
  std::int64_t invalid = 0;
  std::size_t families = 0;
  for (const SearchUnit& unit : space.units()) {
    EXPECT_LE(unit.tensor, 2);
    EXPECT_LE(unit.pipeline, 4);
    EXPECT_EQ(unit.context, 1);
    for (const Candidate& family : space.families(unit, invalid)) {
      EXPECT_EQ(family.micro_batch, 1);
      EXPECT_LE(engineering_complexity(run_of(family, request.bases.front())), 2);
      ++families;
    }
  }
  EXPECT_GT(families, 0U);
  EXPECT_GT(invalid, 0);
}

TEST(SearchSpace, SaysWhyAPinnedMemberLeavesNothing) {
  SearchRequest request = test::small_search({8}, {"parallel.tensor=3"});
  request.pinned = {"tensor"};
  const SearchSpace space(request);
  EXPECT_TRUE(space.units().empty());
  const std::vector<Problem> problems = space.why_none();
  ASSERT_FALSE(problems.empty());
  EXPECT_NE(to_string(problems.front()).find("must divide the 8 GPUs"), std::string::npos)
      << to_string(problems.front());
}

TEST(SearchSpace, OffersNothingThatIsNotSimulated) {
  for (const auto& [assignment, member] : {std::pair{"parallel.sharding=parameters", "sharding"},
                                           std::pair{"parallel.schedule=zb-h1", "schedule"}}) {
    SearchRequest request = test::small_search({8}, {assignment});
    request.pinned = {member};
    const SearchSpace space(request);
    std::int64_t invalid = 0;
    for (const SearchUnit& unit : space.units())
      EXPECT_TRUE(space.families(unit, invalid).empty()) << assignment;
    EXPECT_FALSE(space.why_none().empty()) << assignment;
  }
}

TEST(SearchSpace, OneGpuHasOneCombination) {
  const SearchRequest request = test::small_search({1});
  EXPECT_EQ(SearchSpace(request).units().size(), 1U);
}

}  // namespace
}  // namespace stepcast

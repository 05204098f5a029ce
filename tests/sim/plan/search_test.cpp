#include "sim/plan/search.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/sim/plan/plan_fixtures.hpp"

namespace stepcast {
namespace {

std::vector<std::string> described(const std::vector<RankedRun>& runs) {
  std::vector<std::string> texts;
  for (const RankedRun& one : runs)
    texts.push_back(to_json(one.run).dump() + " " +
                    std::to_string(one.prediction.step_p50.value()));
  return texts;
}

// Small searches of different character: short and long sequences, little memory, several sizes.
std::vector<SearchRequest> requests() {
  std::vector<SearchRequest> all;
  all.push_back(test::small_search());
  all.push_back(test::small_search({4, 8}, {"training.global_batch=16"}));
  all.push_back(
      test::small_search({8}, {"training.sequence_length=8192", "training.global_batch=4"}));
  all.push_back(
      test::small_search({8}, {"training.attention=unfused", "training.sequence_length=1024"}));
  all.push_back(test::small_search({8}, {"training.sequence_length=4096"}));
  // So little memory that recompute and sharding decide.
  all.back().bases.front().cluster.server.gpu_memory = gibibytes(2.6);
  all.push_back(all.front());
  all.back().objective = Objective::memory;
  all.push_back(all[1]);
  all.back().objective = Objective::gpu_hours;
  for (SearchRequest& request : all) request.limits.micro_batch = 2;
  return all;
}

TEST(Search, PruningLosesNothing) {
  for (SearchRequest request : requests()) {
    request.top = 5;
    const SearchResult pruned = search(request, test::h100());
    request.prune = false;
    const SearchResult all = search(request, test::h100());
    EXPECT_EQ(described(pruned.best), described(all.best));
    EXPECT_EQ(described(pruned.pareto), described(all.pareto));
    EXPECT_EQ(pruned.counts.candidates, all.counts.candidates);
    EXPECT_LT(pruned.counts.simulated, all.counts.simulated);
  }
}

TEST(Search, CountsAddUp) {
  const SearchCounts counts = search(test::small_search(), test::h100()).counts;
  EXPECT_GT(counts.candidates, 1000);
  EXPECT_EQ(counts.candidates,
            counts.invalid + counts.pruned_memory + counts.pruned_time + counts.simulated);
}

TEST(Search, BestComeFirstAndHaveDifferentDegrees) {
  const SearchResult result = search(test::small_search(), test::h100());
  ASSERT_GT(result.best.size(), 3U);
  std::set<std::string> degrees;
  double last = 0.0;
  for (const RankedRun& one : result.best) {
    EXPECT_GE(one.prediction.step_p50.value(), last);
    last = one.prediction.step_p50.value();
    const ParallelConfig& p = one.run.parallel;
    degrees.insert(std::to_string(p.tensor) + " " + std::to_string(p.pipeline) + " " +
                   std::to_string(p.context) + " " + std::to_string(p.data));
    EXPECT_NE(one.prediction.verdict, MemoryVerdict::out_of_memory);
  }
  EXPECT_EQ(degrees.size(), result.best.size());
}

TEST(Search, DoesNotDependOnHowWorkIsShared) {
  const SearchRequest request = test::small_search();
  const SearchResult alone = search(request, test::h100());
  // Two processes, played one after the other: each finds its own units, then knows the others'.
  std::vector<UnitResult> results;
  SearchHooks record;
  record.exchange = [&](std::vector<UnitResult> own) {
    results.insert(results.end(), own.begin(), own.end());
    return own;
  };
  static_cast<void>(search(request, test::h100(), record));
  SearchHooks half;
  half.processes = 2;
  half.process = 1;
  std::size_t asked = 0;
  half.exchange = [&](std::vector<UnitResult> own) {
    std::set<std::size_t> mine;
    for (const UnitResult& result : own) mine.insert(result.unit);
    for (std::size_t end = std::min(asked + 32, results.size()); asked < end; ++asked)
      if (!mine.contains(results[asked].unit)) own.push_back(results[asked]);
    return own;
  };
  const SearchResult shared = search(request, test::h100(), half);
  EXPECT_EQ(described(shared.best), described(alone.best));
  EXPECT_EQ(shared.counts, alone.counts);
}

TEST(Search, GoesOnFromKnownResults) {
  const SearchRequest request = test::small_search();
  std::map<std::size_t, UnitResult> known;
  SearchHooks first;
  first.exchange = [&](std::vector<UnitResult> own) {
    for (const UnitResult& result : own)
      if (known.size() < 10) known.emplace(result.unit, result);
    return own;
  };
  const SearchResult whole = search(request, test::h100(), first);
  std::size_t used = 0;
  SearchHooks second;
  second.known = [&](std::size_t unit) {
    const auto found = known.find(unit);
    if (found == known.end()) return static_cast<const UnitResult*>(nullptr);
    ++used;
    return static_cast<const UnitResult*>(&found->second);
  };
  const SearchResult resumed = search(request, test::h100(), second);
  EXPECT_GE(used, 10U);
  EXPECT_EQ(described(resumed.best), described(whole.best));
  EXPECT_EQ(resumed.counts, whole.counts);
}

TEST(Search, FindsNothingWhereNothingFits) {
  SearchRequest request = test::small_search();
  request.bases.front().cluster.server.gpu_memory = gibibytes(0.5);
  const SearchResult result = search(request, test::h100());
  EXPECT_TRUE(result.best.empty());
  EXPECT_EQ(result.counts.simulated, 0);
  EXPECT_GT(result.counts.pruned_memory, 0);
}

TEST(Search, MarginLeavesMemoryFree) {
  SearchRequest request = test::small_search();
  request.limits.memory_margin = 0.97;
  for (const RankedRun& one : search(request, test::h100()).best)
    for (const StageMemory& stage : one.prediction.memory)
      EXPECT_LE((stage.peak_allocated + stage.overhead).value(),
                0.03 * one.prediction.memory_capacity.value());
}

}  // namespace
}  // namespace stepcast

#include "sim/plan/advice.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "sim/parallel/rules.hpp"
#include "tests/sim/plan/advice_fixtures.hpp"

namespace stepcast {
namespace {

using test::advice_request;
using test::h100;

TEST(Advice, RecommendsWhatIsValidAndFits) {
  const Advice advice = advise(advice_request("llama-3-8b", 1, 8192, 64), h100());
  ASSERT_TRUE(advice.recommended);
  EXPECT_TRUE(check_rules(advice.recommended->run).empty());
  EXPECT_NE(advice.recommended->prediction.verdict, MemoryVerdict::out_of_memory);
  EXPECT_EQ(advice.conditions.size(), 5u);
  EXPECT_EQ(advice.strategies.size(), 4u);
  EXPECT_FALSE(advice.shortfall);
}

TEST(Advice, AlternativesStandBestFirst) {
  const Advice advice = advise(advice_request("llama-3-8b", 1, 8192, 64), h100());
  double last = 1e30;
  for (const Alternative& one : advice.alternatives) {
    if (!one.fits) continue;
    EXPECT_LE(one.ranked->prediction.tokens_per_s_per_gpu, last);
    last = one.ranked->prediction.tokens_per_s_per_gpu;
  }
}

TEST(Advice, SearchStaysUnderTheSameCeiling) {
  SearchRequest request = advice_request("llama-3-8b", 1, 8192, 64);
  request.limits.complexity = 1;
  const Advice advice = advise(request, h100());
  ASSERT_TRUE(advice.recommended && advice.search_best);
  EXPECT_LE(engineering_complexity(advice.recommended->run), 1);
  EXPECT_LE(engineering_complexity(advice.search_best->run), 1);
}

TEST(Advice, SaysHowManyGpusItWouldTake) {
  const Advice advice = advise(advice_request("llama-3-70b", 1, 8192, 64), h100());
  EXPECT_FALSE(advice.recommended);
  ASSERT_TRUE(advice.shortfall);
  EXPECT_GT(advice.shortfall->least_memory.value_or(0.0), advice.shortfall->capacity);
  // 18 bytes for each of 70.6e9 parameters are 1.27e12: more than 14 GPUs of 85e9 bytes hold.
  ASSERT_TRUE(advice.shortfall->gpus);
  EXPECT_GE(*advice.shortfall->gpus, 16);
  EXPECT_LE(*advice.shortfall->gpus, 64);
}

TEST(Advice, TellsItsProgress) {
  std::atomic<std::size_t> calls = 0, of = 0;
  AdviceHooks hooks;
  hooks.progress = [&](std::size_t, std::size_t all) {
    ++calls;
    of = all;
  };
  (void)advise(advice_request("llama-3-8b", 1, 1024, 8), h100(), hooks);
  EXPECT_EQ(calls.load(), of.load());
  EXPECT_GT(of.load(), 0u);
}

}  // namespace
}  // namespace stepcast

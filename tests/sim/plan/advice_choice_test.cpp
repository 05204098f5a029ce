#include "sim/plan/advice_choice.hpp"

#include <gtest/gtest.h>

#include "sim/parallel/rules.hpp"
#include "tests/sim/plan/advice_fixtures.hpp"

namespace stepcast {
namespace {

using test::advice_request;
using test::h100;

Run chosen(const SearchRequest& request) {
  AdviceCase advice(request, h100());
  const Choice choice = choose(advice);
  EXPECT_TRUE(choice.best.has_value());
  const auto run = advice.run_of(choice.best->candidate);
  EXPECT_TRUE(check_rules(run).empty());
  EXPECT_LE(choice.best->memory, advice.capacity());
  return run;
}

TEST(AdviceChoice, LongerSequencesAreCutFiner) {
  const auto usual = chosen(advice_request("llama-3-70b", 8, 8192, 128));
  const auto longer = chosen(advice_request("llama-3-70b", 8, 131072, 32));
  EXPECT_GT(longer.parallel.context, usual.parallel.context);
}

TEST(AdviceChoice, ASmallModelIsNotCut) {
  const auto run = chosen(advice_request("llama-3-8b", 8, 1024, 64));
  EXPECT_EQ(run.parallel.tensor, 1);
  EXPECT_EQ(run.parallel.context, 1);
  EXPECT_EQ(run.parallel.data, 64);
}

TEST(AdviceChoice, TensorGroupsStayInsideAServer) {
  for (const char* model : {"llama-3-8b", "llama-3-70b", "gpt3-175b"})
    EXPECT_LE(chosen(advice_request(model, 16, 2048, 256)).parallel.tensor, 8) << model;
}

TEST(AdviceChoice, ACeilingOnComplexityHolds) {
  SearchRequest request = advice_request("llama-3-70b", 8, 8192, 128);
  request.limits.complexity = 2;
  EXPECT_LE(engineering_complexity(chosen(request)), 2);
}

TEST(AdviceChoice, WhatIsPinnedStays) {
  SearchRequest request =
      advice_request("llama-3-70b", 8, 8192, 128, {"parallel.tensor=2", "parallel.context=1"});
  request.pinned = {"tensor", "context"};
  const auto run = chosen(request);
  EXPECT_EQ(run.parallel.tensor, 2);
  EXPECT_EQ(run.parallel.context, 1);
}

TEST(AdviceChoice, NothingIsChosenWhereNothingFits) {
  const SearchRequest request = advice_request("llama-3-405b", 1, 8192, 64);
  AdviceCase advice(request, h100());
  const Choice choice = choose(advice);
  EXPECT_FALSE(choice.best);
  EXPECT_TRUE(choice.valid_seen);
  EXPECT_GT(choice.least_memory.value_or(0.0), advice.capacity());
}

TEST(AdviceChoice, IsTheSameTwice) {
  const SearchRequest request = advice_request("llama-3-70b", 8, 8192, 128);
  AdviceCase one(request, h100()), two(request, h100());
  EXPECT_EQ(choose(one).best->candidate, choose(two).best->candidate);
}

}  // namespace
}  // namespace stepcast

#include "reports/published_choices.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "reports/breakdown.hpp"

namespace stepcast {
namespace {

// A choice small enough to search in a test: Llama-3-8B on one DGX H100.
PublishedChoice small_choice() {
  return {.name = "small",
          .source = "made up",
          .given = {"model=llama-3-8b", "cluster=dgx-h100:1", "training.sequence_length=4096",
                    "training.global_batch=16", "parallel.sharding=optimizer"},
          .chosen = {"parallel.tensor=8", "parallel.pipeline=1", "parallel.context=1",
                     "parallel.data=1", "training.micro_batch=1"},
          .pinned = {"order", "stage_layers", "sharding"},
          .why_pinned = "made up"};
}

CheckedChoice checked(const PublishedChoice& choice) {
  SearchLimits limits;
  limits.pipeline = 1;
  limits.micro_batch = 2;
  return check_choice(choice, load_profile("h100-sxm"), limits);
}

TEST(PublishedChoices, EveryOneHasASourceAndAReasonAndCanBeRead) {
  for (const PublishedChoice& choice : published_choices()) {
    EXPECT_FALSE(choice.source.empty() || choice.why_pinned.empty()) << choice.name;
    const auto run = base_of(choice);
    const ParallelConfig& p = run.parallel;
    EXPECT_EQ(p.tensor * p.pipeline * p.context * p.data,
              run.cluster.nodes * run.cluster.server.gpus)
        << choice.name;
    EXPECT_FALSE(run.overlap.tensor) << choice.name;
  }
}

TEST(PublishedChoices, TheBestIsNeverSlowerAndNeedsNoMoreMemory) {
  const CheckedChoice result = checked(small_choice());
  EXPECT_GE(result.gap, 0.0);
  EXPECT_LE(memory_needed(result.best.prediction).value(),
            1.001 * memory_needed(result.published.prediction).value());
}

TEST(PublishedChoices, WhatWasChosenStays) {
  const CheckedChoice result = checked(small_choice());
  EXPECT_EQ(result.published.run.parallel.tensor, 8);
  EXPECT_EQ(result.published.run.training.micro_batch, 1);
  EXPECT_EQ(result.best.run.parallel.sharding, Sharding::optimizer);
}

TEST(PublishedChoices, TermsSumToTheDifference) {
  const CheckedChoice result = checked(small_choice());
  double sum = 0.0;
  for (const DifferenceTerm& term : result.terms) sum += term.value;
  EXPECT_NEAR(sum, (result.best.prediction.step_p50 - result.published.prediction.step_p50).value(),
              1e-3 * result.published.prediction.step_p50.value());
}

TEST(PublishedChoices, TheSentenceNamesBothAndTheGap) {
  const PublishedChoice choice = small_choice();
  const std::string text = choice_sentence(choice, checked(choice));
  EXPECT_TRUE(text.starts_with("small: published TP 8, PP 1, DP 1 (")) << text;
  EXPECT_NE(text.find("; best with its memory "), std::string::npos) << text;
  EXPECT_NE(text.find(" % over it"), std::string::npos) << text;
}

}  // namespace
}  // namespace stepcast

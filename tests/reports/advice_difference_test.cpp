#include "reports/advice_difference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/reports/advice_fixtures.hpp"

namespace stepcast {
namespace {

using test::small_advice;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(AdviceDifference, SaysWhenBothAreTheSame) {
  Advice advice = small_advice();
  advice.search_best = advice.recommended;
  EXPECT_THAT(why_different(advice, Language::english), HasSubstr("the same configuration"));
  EXPECT_THAT(why_different(advice, Language::chinese), HasSubstr("相同的配置"));
}

TEST(AdviceDifference, SaysWhenTheSearchFindsNothing) {
  Advice advice = small_advice();
  advice.search_best.reset();
  EXPECT_EQ(why_different(advice, Language::english), "The search finds nothing that fits.");
}

TEST(AdviceDifference, NamesTheBubbleWithItsNumbers) {
  Advice advice = small_advice();
  RankedRun rule = *advice.recommended;
  rule.run.parallel.tensor = 1;
  rule.run.parallel.pipeline = 4;
  rule.run.parallel.virtual_stages = 1;
  rule.run.parallel.data = 2;
  rule.run.training.global_batch = 24;  // 12 micro-batches: 3 / 12
  RankedRun best = rule;
  best.run.parallel.virtual_stages = 2;  // 3 / 24
  best.prediction.tokens_per_s_per_gpu = 1.1 * rule.prediction.tokens_per_s_per_gpu;
  for (StageBreakdown& stage : rule.prediction.breakdown) {
    stage.bubble += Seconds{1.0};
    stage.total += Seconds{1.0};
  }
  advice.recommended = rule;
  advice.search_best = best;
  EXPECT_THAT(why_different(advice, Language::english),
              AllOf(HasSubstr("10.0 % more tokens/s/GPU"), HasSubstr("go to the bubble"),
                    HasSubstr("its bubble is 12.5 %"), HasSubstr("m = 12 give 25.0 %"),
                    Not(HasSubstr("micro-batches of"))));
}

TEST(AdviceDifference, ConfigurationsHaveNames) {
  auto run = small_advice().recommended->run;
  run.parallel.tensor = 8;
  run.parallel.pipeline = 2;
  run.parallel.virtual_stages = 4;
  run.parallel.context = 4;
  run.parallel.data = 1;
  run.parallel.sequence_parallel = true;
  run.training.micro_batch = 1;
  run.training.recompute = {RecomputeKind::full, 7, {}};
  EXPECT_EQ(configuration_name(run),
            "TP 8, PP 2 x 4 virtual, CP 4, DP 1, micro-batch 1, SP, full recompute of 7 layers a "
            "chunk");
}

}  // namespace
}  // namespace stepcast

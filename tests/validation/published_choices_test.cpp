// Published choices come out near the top: within 5 % of the best that a search predicts among the
// configurations that need no more memory; where they do not, the test names what the forecast sees
// that the published run did not use. Small limits keep the searches short; docs/accuracy.md has
// the numbers without them.
#include "reports/published_choices.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

CheckedChoice check(const PublishedChoice& choice, SearchLimits limits) {
  limits.micro_batch = 2;
  return check_choice(choice, load_profile(base_of(choice).profile), limits);
}

TEST(PublishedChoices, AreWithinFivePercentOfTheBestWithTheirTensorAndContextDegrees) {
  for (PublishedChoice choice : published_choices()) {
    if (choice.pinned.contains("tensor")) continue;  // the same choice again, for the report
    choice.pinned.insert({"tensor", "context"});
    const CheckedChoice checked = check(choice, {});
    EXPECT_LE(checked.gap, 0.05) << choice_sentence(choice, checked);
    EXPECT_GE(checked.gap, -1e-9) << choice_sentence(choice, checked);
  }
}

TEST(PublishedChoices, Llama3CouldHaveHalvedItsBubbleWithContextParallelism) {
  // CP 2 halves the replicas, so each has twice the micro-batches to fill the pipeline with.
  PublishedChoice choice = published_choices().front();
  choice.pinned.insert("tensor");
  SearchLimits limits;
  limits.context = 2;
  const CheckedChoice checked = check(choice, limits);
  EXPECT_EQ(checked.best.run.parallel.context, 2) << choice_sentence(choice, checked);
  ASSERT_FALSE(checked.terms.empty());
  EXPECT_EQ(checked.terms.front().name, "bubble");
  EXPECT_LT(checked.terms.front().value, 0.0);
}

}  // namespace
}  // namespace stepcast

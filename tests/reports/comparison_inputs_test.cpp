#include "reports/comparison_inputs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/reports/report_fixtures.hpp"

namespace stepcast {
namespace {

using namespace report_fixtures;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

using Values = std::vector<std::optional<std::string>>;

std::vector<Forecast> two() {
  return {forecast("a", small_prediction()), forecast("b", small_prediction())};
}

TEST(InputsChanged, HoldsWhatDiffersWithNothingForAbsent) {
  auto forecasts = two();
  forecasts[1].inputs["parallel.tensor"] = "8";
  forecasts[1].inputs["training.recompute.layers"] = "4";
  const auto changed = inputs_changed(forecasts);
  ASSERT_EQ(changed.size(), 2U);
  EXPECT_EQ(changed[0].path, "parallel.tensor");
  EXPECT_EQ(changed[0].values, (Values{"4", "8"}));
  EXPECT_EQ(changed[1].path, "training.recompute.layers");
  EXPECT_EQ(changed[1].values, (Values{std::nullopt, "4"}));
}

TEST(InputsChanged, IsEmptyForEqualInputs) { EXPECT_THAT(inputs_changed(two()), IsEmpty()); }

TEST(InputsChanged, ComparesANameOfAClusterWithAnObject) {
  auto forecasts = two();  // "dgx-h100:1"
  forecasts[1].inputs.erase("cluster");
  forecasts[1].inputs["cluster.server"] = "dgx-h100";
  forecasts[1].inputs["cluster.nodes"] = "2";
  const auto changed = inputs_changed(forecasts);
  ASSERT_EQ(changed.size(), 1U);
  EXPECT_EQ(changed[0].path, "cluster.nodes");
  EXPECT_EQ(changed[0].values, (Values{"1", "2"}));
}

TEST(OverlappingPairs, AreInOrder) {
  std::vector<Forecast> forecasts{two()[0], two()[0], two()[0]};
  forecasts[1].prediction.tokens_per_s_per_gpu *= 2.0;  // far from the others
  EXPECT_THAT(overlapping_pairs(forecasts), ElementsAre(Pair(0U, 2U)));
}

TEST(ComparisonNotes, SayWhichCannotBeTold) {
  EXPECT_THAT(comparison_notes({}, {{0, 1}, {0, 3}, {1, 2}}),
              ElementsAre("the forecast cannot tell [0] from [1] and [3], nor [1] from [2]: their "
                          "P10-P90 intervals overlap"));
}

TEST(ComparisonNotes, SayThatTheCostOfDifferentGpusIsUnknown) {
  EXPECT_THAT(comparison_notes({{"profile", {"h100-sxm", "b200-sxm", "h100-sxm"}}}, {}),
              ElementsAre(HasSubstr("different profiles (h100-sxm and b200-sxm): where these are "
                                    "different GPUs, ranking is by GPU and not by money")));
}

TEST(ComparisonNotes, SayThatModelsAndBatchesDiffer) {
  EXPECT_THAT(comparison_notes({{"model", {"llama-3-8b", "llama-3-70b"}},
                                {"training.global_batch", {"8", std::nullopt}}},
                               {}),
              ElementsAre(HasSubstr("models differ (llama-3-8b and llama-3-70b)"),
                          HasSubstr("global batches differ (8 and none)")));
}

}  // namespace
}  // namespace stepcast

#include "reports/search_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "reports/prediction_json.hpp"
#include "tests/reports/report_fixtures.hpp"
#include "tests/reports/schema_check.hpp"

namespace stepcast {
namespace {

using namespace report_fixtures;
using testing::ElementsAre;
using testing::HasSubstr;

SearchRequest request() {
  SearchRequest request;
  request.bases.push_back(small_run());
  request.pinned = {"tensor"};
  return request;
}

RankedRun ranked(double tokens_per_s_per_gpu) {
  RankedRun one{small_run(), small_prediction()};
  one.prediction.tokens_per_s_per_gpu = tokens_per_s_per_gpu;
  return one;
}

SearchResult result() {
  SearchResult found;
  found.counts = {100, 10, 50, 30, 10};
  found.best = {ranked(1000.0), ranked(900.0)};
  found.pareto = {ranked(1000.0)};
  return found;
}

TEST(SearchReport, PricesATrainingByItsTokens) {
  // 3.6e9 tokens at 1,000 tokens a second and GPU: 1e3 GPU-hours.
  const TrainingBudget budget{3.6e9, 2.5};
  EXPECT_DOUBLE_EQ(*gpu_hours(ranked(1000.0).prediction, budget), 1000.0);
  EXPECT_DOUBLE_EQ(*training_cost(ranked(1000.0).prediction, budget), 2500.0);
  EXPECT_FALSE(gpu_hours(ranked(1000.0).prediction, {}));
  EXPECT_FALSE(training_cost(ranked(1000.0).prediction, {3.6e9, {}}));
}

TEST(SearchReport, SaysWhatAnotherConfigurationGivesUpAndGains) {
  RankedRun other = ranked(900.0);
  for (StageMemory& stage : other.prediction.memory) {
    stage.peak_allocated = stage.peak_allocated - gibibytes(2);
    stage.activations = stage.activations - gibibytes(2);
  }
  other.run.parallel.virtual_stages = 4;
  other.run.parallel.schedule = ScheduleKind::interleaved;
  const Tradeoff against = tradeoff(ranked(1000.0), other);
  EXPECT_THAT(against.gives_up,
              ElementsAre("10.0 % fewer tokens/s/GPU", "1 more technique to master"));
  EXPECT_THAT(against.gains, ElementsAre("2.00 GiB more free memory"));
  EXPECT_TRUE(tradeoff(ranked(1000.0), ranked(1000.0)).gives_up.empty());
}

TEST(SearchReport, DocumentFollowsItsSchema) {
  STEPCAST_EXPECT_SCHEMA("search", document_text(to_json(result(), request(), {3.6e9, 2.0}, 1.5)));
}

TEST(SearchReport, DocumentIsTheSameForTheSameSearch) {
  const auto document = to_json(result(), request(), {}, std::nullopt);
  EXPECT_EQ(document_text(document), document_text(to_json(result(), request(), {}, std::nullopt)));
  EXPECT_TRUE(document["seconds"].is_null());
  EXPECT_EQ(document["best"][1]["rank"], 2);
  EXPECT_EQ(document["best"][1]["gives_up"][0], "10.0 % fewer tokens/s/GPU");
  EXPECT_EQ(document["counts"]["pruned_memory"], 50);
}

TEST(SearchReport, TextShowsCountsTablesAndTradeoffs) {
  const std::string text = search_text(result(), request(), {3.6e9, 2.0});
  EXPECT_THAT(text,
              HasSubstr("100 candidates: 10 break a rule or a limit, 50 do not fit, 30 cannot "
                        "be better than what was found, 10 simulated"));
  EXPECT_THAT(text, HasSubstr("GPU-hours"));
  EXPECT_THAT(text, HasSubstr("2: gives up 10.0 % fewer tokens/s/GPU"));
  SearchResult nothing;
  nothing.counts = {3, 1, 2, 0, 0};
  EXPECT_THAT(search_text(nothing, request(), {}), HasSubstr("nothing fits within the limits"));
}

TEST(SearchReport, NamesTheRuleWhenNothingIsValid) {
  SearchResult nothing;
  nothing.counts = {3, 3, 0, 0, 0};
  nothing.problems = {{"", "parallel.tensor = 3", "must divide the 64 heads"}};
  EXPECT_THAT(search_text(nothing, request(), {}),
              HasSubstr("parallel.tensor = 3: must divide the 64 heads"));
  EXPECT_EQ(to_json(nothing, request(), {}, {})["problems"][0],
            "parallel.tensor = 3: must divide the 64 heads");
}

TEST(SearchReport, RepeatsAWarningOnce) {
  SearchResult found = result();
  for (RankedRun& one : found.best) one.prediction.warnings = {{"model", "layers differ in width"}};
  const std::string text = search_text(found, request(), {});
  const std::string warning = "warning (model): layers differ in width";
  EXPECT_NE(text.find(warning), std::string::npos);
  EXPECT_EQ(text.find(warning), text.rfind(warning));
}

TEST(SearchReport, IsMarkdownToo) {
  const std::string text = search_markdown(result(), request(), {});
  EXPECT_THAT(text, HasSubstr("\n### best by time (of each combination of degrees its best)\n\n"
                              "| \\# | GPUs | TP | "));
  EXPECT_THAT(text, HasSubstr("\n### against 1\n\n- 2: gives up 10.0 % fewer tokens/s/GPU\n"));
}

TEST(SearchReport, NamesOfObjectivesReadBack) {
  for (const std::string& name : objective_names())
    EXPECT_EQ(name_of(*objective_named(name)), name);
  EXPECT_FALSE(objective_named("speed"));
}

}  // namespace
}  // namespace stepcast

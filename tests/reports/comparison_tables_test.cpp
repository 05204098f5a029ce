#include "reports/comparison_tables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/reports/report_fixtures.hpp"

namespace stepcast {
namespace {

using namespace report_fixtures;
using testing::ElementsAre;

std::vector<Forecast> two() {
  Prediction faster = small_prediction();
  faster.breakdown = {stage_breakdown(0, 0.5)};
  faster.step_p50 = Seconds{7.5};
  faster.tokens_per_s_per_gpu = 1092.0;
  std::vector<Forecast> out{forecast("a.json", small_prediction()), forecast("b.json", faster)};
  out[1].inputs["parallel.tensor"] = "8";
  return out;
}

// A row by its table's title and its label; empty if there is none.
std::vector<std::string> row(const std::vector<Forecast>& forecasts, const std::string& title,
                             const std::string& label) {
  for (const ReportTable& table : comparison_tables(compare(forecasts), forecasts))
    if (table.headers.front() == title)
      for (const auto& cells : table.rows)
        if (cells.front() == label) return cells;
  return {};
}

TEST(ComparisonTables, ShowOnlyInputsThatDiffer) {
  EXPECT_THAT(row(two(), "inputs that differ", "parallel.tensor"),
              ElementsAre("parallel.tensor", "4", "8"));
  EXPECT_THAT(row(two(), "inputs that differ", "training.precision"), ElementsAre());
}

TEST(ComparisonTables, PutFiguresSideBySide) {
  EXPECT_THAT(row(two(), "summary", "step time (s)"), ElementsAre("step time (s)", "8.00", "7.50"));
  EXPECT_THAT(row(two(), "summary", "tokens/s/GPU"), ElementsAre("tokens/s/GPU", "1020", "1090"));
  EXPECT_THAT(row(two(), "summary", "memory"), ElementsAre("memory", "fits", "fits"));
  EXPECT_THAT(row(two(), "summary", "rank"), ElementsAre("rank", "2", "1"));
}

TEST(ComparisonTables, MarkWhatDoesNotFit) {
  auto forecasts = two();
  forecasts[1].prediction.verdict = MemoryVerdict::out_of_memory;
  EXPECT_THAT(row(forecasts, "summary", "rank"), ElementsAre("rank", "1", "does not fit"));
  EXPECT_THAT(row(forecasts, "summary", "memory"), ElementsAre("memory", "fits", "out of memory"));
}

TEST(ComparisonTables, ShowTermsOfCriticalStagesAndTheirDifferences) {
  EXPECT_THAT(row(two(), "step time of the critical stage (s)", "bubble"),
              ElementsAre("bubble", "1.00", "0.500"));
  EXPECT_THAT(row(two(), "step time minus [0] (s)", "bubble"), ElementsAre("bubble", "-0.500"));
  EXPECT_THAT(row(two(), "step time minus [0] (s)", "sum"), ElementsAre("sum", "-0.500"));
}

TEST(ComparisonTables, ShowMemoryPartsAndTheirDifferences) {
  auto forecasts = two();
  forecasts.push_back(forecasts[0]);
  forecasts[1].prediction.memory = {stage_memory(0, 32.0)};
  forecasts[2].prediction.memory[0].transient = gibibytes(5);
  forecasts[2].prediction.memory[0].peak_allocated = gibibytes(59);
  const std::string title = "peak allocated minus [0] (GiB)";
  EXPECT_THAT(row(forecasts, "memory of the fullest stage (GiB)", "activations"),
              ElementsAre("activations", "30.0", "32.0", "30.0"));
  EXPECT_THAT(row(forecasts, title, "activations"), ElementsAre("activations", "+2.00", "0"));
  EXPECT_THAT(row(forecasts, title, "transient"), ElementsAre("transient", "0", "+3.00"));
  EXPECT_THAT(row(forecasts, title, "sum"), ElementsAre("sum", "+2.00", "+3.00"));
}

TEST(ComparisonTables, CountGpuSecondsOnlyWhereTheWorkDiffers) {
  const std::string title = "GPU-seconds per million tokens minus [0]";
  auto forecasts = two();
  forecasts[1].prediction.tokens_per_s = 65536.0 / 7.5;  // the same tokens
  EXPECT_THAT(row(forecasts, title, "sum"), ElementsAre());
  forecasts[1].prediction.gpus = 16;
  // 16 GPUs for 7.5 s against 8 for 8 s, 65536 tokens: (120 - 64) * 1e6 / 65536 = 854.49.
  EXPECT_THAT(row(forecasts, title, "sum"), ElementsAre("sum", "+854"));
}

}  // namespace
}  // namespace stepcast

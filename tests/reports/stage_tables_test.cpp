#include "reports/stage_tables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/reports/report_fixtures.hpp"

namespace stepcast {
namespace {

using namespace report_fixtures;
using testing::HasSubstr;
using testing::Not;

TEST(BreakdownTable, ShowsEveryStageAndMeanShares) {
  EXPECT_EQ(breakdown_table(small_prediction()),
            "time (s)          stage 0  stage 1  mean %\n"
            "GEMM                 4.00     3.50    46.9\n"  // (4 + 3.5) / 2 / 8
            "attention           0.750    0.750    9.38\n"
            "memory-bound        0.375    0.375    4.69\n"
            "recompute           0.500    0.500    6.25\n"
            "optimizer           0.250    0.250    3.12\n"
            "host                0.250    0.250    3.12\n"
            "exposed tensor      0.500    0.500    6.25\n"
            "exposed pipeline    0.250    0.250    3.12\n"
            "exposed data        0.125    0.125    1.56\n"
            "bubble               1.00     1.50    15.6\n"
            "total                8.00     8.00     100\n");
}

TEST(BreakdownTable, BeyondEightStagesShowsFirstCriticalAndLast) {
  Prediction p = small_prediction();
  p.breakdown.clear();
  for (int i = 0; i < 10; ++i) p.breakdown.push_back(stage_breakdown(i, i == 4 ? 0.5 : 1.0));
  const std::string table = breakdown_table(p);
  EXPECT_THAT(table, HasSubstr("stage 0  stage 4  stage 9    min   mean    max  mean %\n"));
  // Bubble: nine of 1 s and one of 0.5 s.
  EXPECT_THAT(table, HasSubstr("bubble               1.00    0.500     1.00  0.500  0.950   1.00"));
  EXPECT_THAT(table, Not(HasSubstr("stage 1")));
}

TEST(MemoryTable, ShowsPartsPeakAndFreeMemory) {
  EXPECT_EQ(memory_table(small_prediction()),
            "memory (GiB)  parameters  gradients  optimizer  activations  transient  overhead  "
            "peak allocated  with overhead  free\n"
            "stage 0             4.00       8.00       12.0         30.0       2.00      3.00  "
            "          56.0           59.0  21.0\n"
            "stage 1             4.00       8.00       12.0         10.0       2.00      3.00  "
            "          36.0           39.0  41.0\n");
}

TEST(AliveTable, ShowsTheLargestAndSumsTheRest) {
  EXPECT_EQ(alive_table(small_prediction(), 2),
            "alive at the peak   GiB     %\n"
            "optimizer state    12.0  21.4\n"  // of 56
            "query, key, value  30.0  53.6\n"
            "3 more             14.0  25.0\n");
}

TEST(StageTables, AreEmptyWithoutStages) {
  EXPECT_EQ(breakdown_table(Prediction{}), "");
  EXPECT_EQ(memory_table(Prediction{}), "");
  EXPECT_EQ(alive_table(Prediction{}, 3), "");
}

}  // namespace
}  // namespace stepcast

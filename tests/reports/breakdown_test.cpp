#include "reports/breakdown.hpp"

#include <gtest/gtest.h>

#include "tests/reports/report_fixtures.hpp"

namespace stepcast {
namespace {

using namespace report_fixtures;

TEST(BreakdownTerms, SumToTheStageTotal) {
  const StageBreakdown stage = stage_breakdown(0, 1.0);
  Seconds sum;
  for (const BreakdownTerm& term : breakdown_terms()) sum += stage.*term.value;
  EXPECT_EQ(sum, stage.total);
}

TEST(MemoryTerms, SumToPeakPlusOverhead) {
  const StageMemory stage = stage_memory(0, 30.0);
  Bytes sum;
  for (const MemoryTerm& term : memory_terms()) sum += stage.*term.value;
  EXPECT_EQ(sum, stage.peak_allocated + stage.overhead);
}

TEST(CriticalStage, IsTheOneThatWaitsLeast) {
  Prediction p = small_prediction();
  EXPECT_EQ(critical_stage(p), 0U);  // 1.25 s of bubble and exposed sends against 1.75 s
  p.breakdown[1].bubble = Seconds{0.5};
  EXPECT_EQ(critical_stage(p), 1U);
}

TEST(FullestStage, CountsOverhead) {
  Prediction p = small_prediction();
  EXPECT_EQ(fullest_stage(p), 0U);
  p.memory[1].overhead = gibibytes(40);
  EXPECT_EQ(fullest_stage(p), 1U);
  EXPECT_EQ(memory_needed(p), gibibytes(76));  // 36 allocated + 40
}

TEST(ExposedCommunication, AddsAllGroups) {
  EXPECT_EQ(exposed_communication(stage_breakdown(0, 1.0)), Seconds{0.875});
}

}  // namespace
}  // namespace stepcast

#include "reports/sweep_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/reports/sweep_fixtures.hpp"

namespace stepcast {
namespace {

using namespace report_fixtures;
using testing::HasSubstr;
using testing::StartsWith;

InputSweep network() {
  InputSweep sweep = sweep_of(axis("network_GBps", AxisKind::rate, {25, 50, 100}), {16, 8, 7.9});
  evaluate(sweep);
  return sweep;
}

TEST(SweepText, HasARowAPointWithABar) {
  const std::string text = sweep_text(network());
  EXPECT_THAT(text, StartsWith("sweep of network_GBps (GB/s per NIC)\n"
                               "network_GBps 100.0: llama-3-8b on 8 GPUs of dgx-h100:1"));
  // 7.9 / 16 of 20 is 9.9.
  EXPECT_THAT(text,
              HasSubstr("25.0                            8      16.0    15.0-17.0     40.4    "
                        "    21.0    fits           512  ==========\n"));
}

TEST(SweepText, EndsWithKneeAndBest) {
  const std::string text = sweep_text(network());
  EXPECT_THAT(text, HasSubstr("\nknee of network_GBps at 50.0 GB/s per NIC: from 50.0 to 100.0 "
                              "throughput grows by 1.27 %"));
  EXPECT_THAT(text, HasSubstr("\nbest is network_GBps 100.0: 1040 tokens/s/GPU, step 7.90 s, "
                              "memory fits: "));
}

TEST(SweepText, ListsWhyPointsFailed) {
  InputSweep sweep = sweep_of(axis("x", AxisKind::value, {1, 2}), {0.0, 0.0});
  evaluate(sweep);
  const std::string text = sweep_text(sweep);
  EXPECT_THAT(text, HasSubstr("\nx 1.0: must be something else\nx 2.0: must be something else\n"));
  EXPECT_THAT(text, HasSubstr("invalid"));
  EXPECT_THAT(text, HasSubstr("\nno knee of x: "));
  EXPECT_THAT(text, HasSubstr("\nno point has a forecast that fits in memory\n"));
}

TEST(SweepText, SaysHowTheBatchScales) {
  InputSweep sweep = sweep_of(axis("gpus", AxisKind::gpus, {8, 16}), {8.0, 5.0});
  evaluate(sweep);
  EXPECT_THAT(sweep_text(sweep),
              StartsWith("sweep of gpus, strong scaling: the global batch stays\n"));
  sweep.weak_scaling = sweep.data_follows = true;
  EXPECT_THAT(sweep_text(sweep),
              StartsWith("sweep of gpus, weak scaling: the global batch grows with the GPUs; "
                         "parallel.data takes the GPUs that are left\n"));
}

TEST(SweepMarkdown, HasTheSameAsATable) {
  const std::string text = sweep_markdown(network());
  EXPECT_THAT(text, StartsWith("**sweep of network\\_GBps (GB/s per NIC)**\n\n- knee of "));
  EXPECT_THAT(text, HasSubstr("\n| network\\_GBps (GB/s per NIC) | GPUs | step (s) |"));
  EXPECT_THAT(text, HasSubstr("\n| 50.0 | 8 | 8.00 | 7.50-8.50 | 40.4 | 21.0 | fits | 1020 |"));
}

}  // namespace
}  // namespace stepcast

#include "sim/network/nccl_tests_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "common/errors.hpp"
#include "common/files.hpp"

namespace stepcast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(NcclTestsLog, ReadsRowsRanksAndTheProgram) {
  const NcclTestsLog log = parse_nccl_tests_log(
      "run.log",
      "# Collective test starting: all_gather_perf\n"
      "#  Rank  0 Group  0 Pid 11 on n1 device  0 [0x0f] NVIDIA H100 80GB HBM3\n"
      "#  Rank  3 Group  0 Pid 12 on n1 device  3 [0x5b] NVIDIA H100 80GB HBM3\n"
      "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
      "     1048576        262144     float    none      -1    20.00   52.43   39.32      0"
      "    21.00   49.93   37.45      0\n");
  ASSERT_EQ(log.rows.size(), 1U);
  EXPECT_EQ(log.rows[0].size, Bytes{1048576});
  EXPECT_DOUBLE_EQ(log.rows[0].time.value(), 20e-6);
  EXPECT_DOUBLE_EQ(log.rows[0].busbw.value(), 39.32e9);
  EXPECT_EQ(log.rows[0].line, 5);
  EXPECT_EQ(log.op, CollectiveOp::all_gather);
  EXPECT_EQ(log.ranks, 4);
}

TEST(NcclTestsLog, TellsAllReduceAndItsRanksFromTheBandwidths) {
  const NcclTestsLog log = parse_nccl_tests_log(
      "", " 1073741824 268435456 float sum -1 26217 40.96 76.79 0 26194 40.99 76.86 0\n");
  EXPECT_EQ(log.op, CollectiveOp::all_reduce);
  EXPECT_EQ(log.ranks, 16);  // 2 (n - 1) / n = 1.875
}

// 39.32 / 52.43 is 3/4 whichever way the decimals were rounded, and (n - 1) / n is so for 4 alone.
TEST(NcclTestsLog, TellsTheRanksOfANamedGather) {
  EXPECT_EQ(parse_nccl_tests_log("",
                                 "all_gather_perf -b 1M\n"
                                 " 1048576 262144 float none -1 20.0 52.43 39.32 0\n")
                .ranks,
            4);
}

// 405.74 / 203.01: 1,377 to 1,532 ranks can give these decimals.
TEST(NcclTestsLog, LeavesRanksOpenThatTheDecimalsDoNotTellApart) {
  const NcclTestsLog log =
      parse_nccl_tests_log("", " 17179869184 4294967296 float sum -1 84625 203.01 405.74 0\n");
  EXPECT_EQ(log.op, CollectiveOp::all_reduce);
  EXPECT_EQ(log.ranks, 0);
}

TEST(NcclTestsLog, LeavesOpenWhatTheTableDoesNotSay) {
  const NcclTestsLog log =
      parse_nccl_tests_log("", " 1048576 262144 float none -1 20.0 52.43 39.32 0\n");
  EXPECT_FALSE(log.op.has_value());
  EXPECT_EQ(log.ranks, 0);
}

// The same row as launchers and versions print it.
TEST(NcclTestsLog, ReadsEveryVariantOfARow) {
  for (const std::string row :
       {"     1048576        262144   float     sum   1035.3    1.01    1.90  5e-07    643.4    "
        "1.63"
        "    3.06  5e-07",
        "0:     1048576 262144 float sum -1 1035.3 1.01 1.90 0 643.4 1.63 3.06 0",
        "[0] 1048576 262144 float sum -1 1035.3 1.01 1.90 0 643.4 1.63 3.06 0",
        "[1,0]<stdout>:   1048576 262144 float sum -1 1035.3 1.01 1.90 N/A 643.4 1.63 3.06 N/A",
        "node-7: [3] 1048576 262144 bfloat16 sum -1 1035.3 1.01 1.90 0",
        "1048576 262144 f8e4m3 sum 1035.3 1.01 1.90 N/A\r"}) {
    const NcclTestsLog log = parse_nccl_tests_log("", row + "\n");
    ASSERT_EQ(log.rows.size(), 1U) << row;
    EXPECT_EQ(log.rows[0].size, Bytes{1048576}) << row;
    EXPECT_DOUBLE_EQ(log.rows[0].time.value(), 1035.3e-6) << row;
    EXPECT_DOUBLE_EQ(log.rows[0].busbw.value(), 1.90e9) << row;
  }
}

TEST(NcclTestsLog, PassesOverEmptySizesAndWarnsOfBrokenRows) {
  const NcclTestsLog log = parse_nccl_tests_log("",
                                                "0 0 float sum -1 15.51 0.00 0.00 0\n"
                                                "...\n"
                                                "64 16 float sum -1 cut\n"
                                                "64 16 float sum -1 12.0 0.01 0.02 0\n");
  ASSERT_EQ(log.rows.size(), 1U);
  EXPECT_THAT(
      log.warnings,
      ElementsAre("line 3: begins like a row of nccl-tests but has no time and bandwidths"));
}

TEST(NcclTestsLog, AFileWithoutResultsIsAnError) {
  try {
    static_cast<void>(parse_nccl_tests_log("notes.txt", "hello\n"));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("notes.txt: no line of results"));
  }
}

TEST(NcclTestsLog, ReadsTheLogsThatUsersPosted) {
  const std::filesystem::path folder = "../shared/data/field_files/nccl_tests_log";
  const std::filesystem::path shared = std::filesystem::path(STEPCAST_SOURCE_DIR) / folder;
  if (!std::filesystem::exists(shared)) GTEST_SKIP() << "no shared data beside the sources";
  for (const auto& entry : std::filesystem::directory_iterator(shared)) {
    const NcclTestsLog log = parse_nccl_tests_log(entry.path().string(), read_file(entry.path()));
    EXPECT_EQ(log.op, CollectiveOp::all_reduce) << entry.path();
    EXPECT_GE(log.ranks, 2) << entry.path();
    EXPECT_GE(log.rows.size(), 3U) << entry.path();
    EXPECT_TRUE(log.warnings.empty()) << entry.path();
  }
}

}  // namespace
}  // namespace stepcast

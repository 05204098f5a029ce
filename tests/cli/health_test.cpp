#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/run_cli.hpp"
#include "tests/reports/schema_check.hpp"

namespace stepcast::cli {
namespace {

using testing::HasSubstr;

// Rates of 16 H100 as public logs have them, and a tenth of them.
const std::string good_log =
    " 1073741824 268435456 float sum -1 4478.8 239.74 449.51 0 4463.7 240.55 451.03 0\n"
    " 17179869184 4294967296 float sum -1 68359 251.32 471.22 0 68427 251.07 470.75 0\n";
const std::string slow_log =
    " 1073741824 268435456 float sum -1 44788 23.97 44.95 0 44637 24.05 45.10 0\n";

TEST(HealthVerb, AHealthyLogIsAnswered) {
  Folder folder;
  const Ran ran = run({"health", folder.file("nccl.log", good_log), "--cluster", "dgx-h100:2"});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("all_reduce over 16 GPUs of dgx-h100:2: healthy"));
}

TEST(HealthVerb, ASickLogIsExitCodeOneAndSaysWhy) {
  Folder folder;
  const Ran ran =
      run({"health", folder.file("nccl.log", slow_log), "--cluster", "dgx-h100:2", "--json", "-"});
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("\"verdict\": \"sick\""));
  STEPCAST_EXPECT_SCHEMA("health", ran.out);
}

TEST(HealthVerb, MoreRanksThanGpusIsAnError) {
  Folder folder;
  const Ran ran = run({"health", folder.file("nccl.log", good_log), "--cluster", "dgx-h100:1"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("--cluster: must have the 16 GPUs of "));
  EXPECT_THAT(ran.err, HasSubstr("dgx-h100:1 has 8"));
}

TEST(HealthVerb, AnUnnamedCollectiveIsAskedFor) {
  Folder folder;
  const Ran ran =
      run({"health", folder.file("nccl.log", "1048576 262144 float none -1 20.0 52.43 39.32 0\n"),
           "--cluster", "dgx-h100:1"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("name it, as in --op all_gather"));
}

}  // namespace
}  // namespace stepcast::cli

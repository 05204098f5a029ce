#include <gtest/gtest.h>

#include "reports/score_readers.hpp"

namespace stepcast {
namespace {

const char* const header =
    "gpu,system,nic_gbps_per_gpu,nodes,op,ranks,ranks_per_node,bytes,size_convention,dtype,time_us,"
    "algbw_gbs,busbw_gbs,algo_note,nccl_version,placement,source\n";

std::vector<ScoredRow> score(const std::string& lines) {
  ProfileLibrary profiles;
  return run_score_jobs(read_score_jobs({"collectives.csv", header + lines, ""}, profiles), [] {});
}

TEST(CollectiveRows, AreForecastOnTheirGpuAndPlacement) {
  const auto rows = score(
      "H100-SXM-80GB,x,,1,all_reduce,8,8,1073741824,nccl-tests size,half,4000,,,NCCL "
      "default,2,o,s\n"
      "H100-SXM-80GB,x,400,2,all_reduce,16,8,1073741824,nccl-tests size,float,4000,,,default,2,o,"
      "s\n");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].id, "collectives.csv:2");
  EXPECT_EQ(rows[0].source, "collectives: all_reduce, one node");
  EXPECT_EQ(rows[1].source, "collectives: all_reduce, nodes");
  EXPECT_DOUBLE_EQ(rows[0].observed, 4e-3);
  for (const ScoredRow& row : rows) {
    EXPECT_EQ(row.skipped, "");
    // 1 GiB over 7/4 of at most 450 GB/s of NVLink takes at least 4.2 ms / 2 with NVLS; sane range.
    EXPECT_GT(row.predicted, 2e-3);
    EXPECT_LT(row.predicted, 20e-3);
    EXPECT_LT(*row.p10, *row.p90);
  }
}

TEST(CollectiveRows, SlowerNicsTakeLonger) {
  const std::string end = ",8,1073741824,nccl-tests size,float,4000,,,default,2,o,s\n";
  const auto rows = score("A100-SXM4-80GB,x,200,4,all_reduce,32" + end +
                          "A100-SXM4-80GB,x,50,4,all_reduce,32" + end);
  EXPECT_GT(rows[1].predicted, 2.0 * rows[0].predicted);
}

TEST(CollectiveRows, SkipWithAReason) {
  const std::string end = ",8,8,1048576,nccl-tests size,half,40,,,NCCL default,2,o,s\n";
  EXPECT_EQ(score("MI300X,x,,1,all_reduce" + end)[0].skipped, "no profile for MI300X");
  EXPECT_EQ(score("H200-SXM,x,,1,gather" + end)[0].skipped, "operation gather is not modelled");
  EXPECT_EQ(score("H200-SXM,x,,2,all_reduce" + end)[0].skipped,
            "ranks, nodes and ranks_per_node do not fit together on dgx-h200");
  const std::string start = "H200-SXM,x,,1,all_reduce,8,8,1048576,nccl-tests size,";
  EXPECT_EQ(score(start + "half,,,,NCCL default,2,o,s\n")[0].skipped, "no measured time or size");
  EXPECT_EQ(score(start + "int8,40,,,NCCL default,2,o,s\n")[0].skipped,
            "int8 sums take other algorithms than training does");
  EXPECT_EQ(score(start + "float,40,,,Ring/Simple forced,2,o,s\n")[0].skipped,
            "not NCCL's own choice: Ring/Simple forced");
}

}  // namespace
}  // namespace stepcast

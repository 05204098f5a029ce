#include "reports/collective_json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace stepcast {
namespace {

TEST(CollectiveJson, WritesRowsAsTheContractNamesThem) {
  CollectiveRow row;
  row.op = CollectiveOp::all_gather;
  row.ranks = 4;
  row.nodes = 1;
  row.bytes = Bytes{4096};
  row.estimate.latency = Seconds{8e-6};
  row.estimate.transfer = Seconds{2e-6};
  row.estimate.basis = Basis::interpolated;
  Profile profile;
  profile.name = "p";
  const auto document = to_json({row}, "dgx-h100:1", profile);
  EXPECT_EQ(document["format"], "stepcast.collective");
  EXPECT_EQ(document["provenance"]["cluster"], "dgx-h100:1");
  const auto& out = document["rows"][0];
  EXPECT_EQ(out["op"], "all_gather");
  EXPECT_EQ(out["bytes"], 4096);
  EXPECT_DOUBLE_EQ(out["time_s"], 1e-5);
  EXPECT_DOUBLE_EQ(out["algbw_bytes_per_s"], 4.096e8);
  EXPECT_DOUBLE_EQ(out["busbw_bytes_per_s"], 3.072e8);  // (n - 1) / n
  EXPECT_EQ(out["algorithm"], "ring");
  EXPECT_EQ(out["protocol"], "simple");
  EXPECT_EQ(out["basis"], "interpolated");
}

}  // namespace
}  // namespace stepcast

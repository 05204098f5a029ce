#include "reports/health_json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/reports/schema_check.hpp"

namespace stepcast {
namespace {

TEST(HealthJson, HasTheVerdictAndANullCauseWhereHealthy) {
  Health health{CollectiveOp::all_reduce, 16, {}, {}};
  health.rows.push_back({5, Bytes{1024}, BytesPerSecond{9.0}, BytesPerSecond{8.0},
                         BytesPerSecond{10.0}, BytesPerSecond{12.0}, false, ""});
  auto document = to_json(health, "dgx-h100:2", Profile{});
  EXPECT_EQ(document["verdict"], "healthy");
  EXPECT_TRUE(document["rows"][0]["cause"].is_null());
  EXPECT_EQ(document["rows"][0]["expected"]["p50"], 10.0);
  STEPCAST_EXPECT_SCHEMA("health", document.dump());
  health.rows[0].sick = true;
  health.rows[0].cause = "one NIC of a server missing";
  document = to_json(health, "dgx-h100:2", Profile{});
  EXPECT_EQ(document["verdict"], "sick");
  EXPECT_EQ(document["rows"][0]["cause"], "one NIC of a server missing");
}

}  // namespace
}  // namespace stepcast

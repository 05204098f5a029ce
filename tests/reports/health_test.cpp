#include "reports/health.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/collective.hpp"
#include "reports/profile_library.hpp"

namespace stepcast {
namespace {

using testing::HasSubstr;

class HealthOfTwoServers : public testing::Test {
 protected:
  HealthOfTwoServers() : cluster_(load_cluster("dgx-h100:2")) {}

  // A log that reaches `share` of the forecast at every size.
  NcclTestsLog log_at(const std::vector<double>& shares) {
    NcclTestsLog log;
    const Sweep sweep{.first = Bytes{256 * 1024.0 * 1024}, .last = Bytes{8.0e9}, .ranks = 16};
    const auto rows = collective_sweep(cluster_, loaded_.profile, *loaded_.costs, sweep);
    for (std::size_t i = 0; i < shares.size(); ++i)
      log.rows.push_back({static_cast<std::int64_t>(i) + 1, rows[i].bytes,
                          rows[i].estimate.time() / shares[i], rows[i].algbw() * shares[i],
                          rows[i].busbw() * shares[i]});
    return log;
  }
  Health examine_log(const NcclTestsLog& log) {
    return examine(log, CollectiveOp::all_reduce, 16, cluster_, loaded_.profile, *loaded_.costs);
  }

  Cluster cluster_;
  ProfileLibrary profiles_;
  const LoadedProfile& loaded_ = profiles_.get("h100-sxm");
};

TEST_F(HealthOfTwoServers, WhatTheForecastSaysIsHealthy) {
  const Health health = examine_log(log_at({1.0, 1.0, 1.0, 1.0}));
  EXPECT_FALSE(health.sick());
  for (const HealthRow& row : health.rows) {
    EXPECT_LE(row.p10, row.p50);
    EXPECT_LE(row.p50, row.p90);
    EXPECT_NEAR(row.measured / row.p50, 1.0, 1e-9);
    EXPECT_EQ(row.cause, "");
  }
}

TEST_F(HealthOfTwoServers, FasterThanForecastIsHealthy) {
  EXPECT_FALSE(examine_log(log_at({1.5, 1.5, 1.5})).sick());
}

TEST_F(HealthOfTwoServers, ATenthOfTheRateIsSickAtEverySize) {
  const Health health = examine_log(log_at({0.1, 0.1, 0.1}));
  for (const HealthRow& row : health.rows) {
    EXPECT_TRUE(row.sick);
    EXPECT_NE(row.cause, "");
  }
}

TEST_F(HealthOfTwoServers, ACurveThatFallsIsNamed) {
  const Health health = examine_log(log_at({1.0, 1.0, 0.4}));
  EXPECT_FALSE(health.rows[0].sick);
  EXPECT_TRUE(health.rows[2].sick);
  EXPECT_THAT(health.rows[2].cause, HasSubstr("non-monotonic"));
}

TEST_F(HealthOfTwoServers, TheTextSaysHowManySizesAreSick) {
  EXPECT_THAT(health_text(examine_log(log_at({1.0, 1.0})), "dgx-h100:2"),
              HasSubstr("all_reduce over 16 GPUs of dgx-h100:2: healthy"));
  EXPECT_THAT(health_text(examine_log(log_at({1.0, 0.1})), "dgx-h100:2"),
              HasSubstr("1 of 2 sizes are sick"));
}

}  // namespace
}  // namespace stepcast

#include "sim/cost/collective_table.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/cost/names.hpp"

namespace stepcast {
namespace {

CollectivePoint point(CollectiveOp op, std::int64_t ranks, double bytes, double time_us) {
  return {op, ranks, Bytes{bytes}, microseconds(time_us)};
}

double us(const CollectiveTable& table, CollectiveOp op, std::int64_t ranks, double bytes) {
  return table.time(op, ranks, Bytes{bytes}).value().time.value() * 1e6;
}

Basis basis(const CollectiveTable& table, CollectiveOp op, std::int64_t ranks, double bytes) {
  return table.time(op, ranks, Bytes{bytes}).value().basis;
}

const auto reduce = CollectiveOp::all_reduce;
const auto gather = CollectiveOp::all_gather;
const auto scatter = CollectiveOp::reduce_scatter;

TEST(CollectiveTable, InterpolatesOnLogarithmicScales) {
  const CollectiveTable table({point(reduce, 8, 1024, 10), point(reduce, 8, 4096, 40)});
  EXPECT_DOUBLE_EQ(us(table, reduce, 8, 1024), 10.0);
  EXPECT_NEAR(us(table, reduce, 8, 2048), 20.0, 1e-9);
  EXPECT_EQ(basis(table, reduce, 8, 1024), Basis::measured);
  EXPECT_EQ(basis(table, reduce, 8, 2048), Basis::interpolated);
}

TEST(CollectiveTable, HoldsTheLatencyBelowAndTheBandwidthAboveItsSizes) {
  const CollectiveTable table({point(reduce, 8, 1024, 10), point(reduce, 8, 4096, 40)});
  EXPECT_DOUBLE_EQ(us(table, reduce, 8, 16), 10.0);
  EXPECT_DOUBLE_EQ(us(table, reduce, 8, 12288), 120.0);
  EXPECT_EQ(basis(table, reduce, 8, 16), Basis::extrapolated);
  EXPECT_EQ(basis(table, reduce, 8, 12288), Basis::extrapolated);
}

TEST(CollectiveTable, AveragesAnOutlierWithItsNeighbour) {
  // 90 us at the middle size, 40 us at the next: both become their geometric mean, 60 us.
  const CollectiveTable table(
      {point(reduce, 8, 1000, 10), point(reduce, 8, 2000, 90), point(reduce, 8, 4000, 40)});
  EXPECT_NEAR(us(table, reduce, 8, 2000), 60.0, 1e-9);
  EXPECT_NEAR(us(table, reduce, 8, 4000), 60.0, 1e-9);
  EXPECT_DOUBLE_EQ(us(table, reduce, 8, 1000), 10.0);
}

TEST(CollectiveTable, InterpolatesBusBandwidthBetweenRanks) {
  // 1 kB in 1 us over 2 ranks: 1 GB/s of bus bandwidth (factor 1). In 0.4375 us over 8: 4 GB/s
  // (factor 1.75). Halfway in log ranks, 2 GB/s: 1.5 kB in 0.75 us.
  const CollectiveTable table({point(reduce, 2, 1000, 1), point(reduce, 8, 1000, 0.4375)});
  EXPECT_NEAR(us(table, reduce, 4, 1000), 0.75, 1e-12);
  EXPECT_EQ(basis(table, reduce, 4, 1000), Basis::extrapolated);
}

TEST(CollectiveTable, HoldsBusBandwidthBeyondTheMeasuredRanks) {
  // Factors of all_gather: 7/8 at 8 ranks, 15/16 at 16, 1/2 at 2.
  const CollectiveTable table({point(gather, 8, 1000, 70)});
  EXPECT_NEAR(us(table, gather, 16, 1000), 75.0, 1e-9);
  EXPECT_NEAR(us(table, gather, 2, 1000), 40.0, 1e-9);
}

TEST(CollectiveTable, AsksTheSiblingThatWasMeasuredWithTheseRanks) {
  // reduce_scatter over all_gather is 1.5 at 4 ranks, so at 2 ranks too.
  const CollectiveTable table(
      {point(gather, 2, 1000, 10), point(gather, 4, 1000, 20), point(scatter, 4, 1000, 30)});
  EXPECT_NEAR(us(table, scatter, 2, 1000), 15.0, 1e-9);
  EXPECT_EQ(basis(table, scatter, 2, 1000), Basis::extrapolated);
}

TEST(CollectiveTable, ContinuesALateCurveByFewerRanks) {
  // Over 72 ranks measured at 1 MB only, twice the time of 4 ranks there: twice below as well.
  const CollectiveTable table(
      {point(reduce, 4, 1e3, 10), point(reduce, 4, 1e6, 100), point(reduce, 72, 1e6, 200)});
  EXPECT_NEAR(us(table, reduce, 72, 1e3), 20.0, 1e-9);
  EXPECT_NEAR(us(table, reduce, 72, 1e6), 200.0, 1e-9);
  EXPECT_EQ(basis(table, reduce, 72, 1e3), Basis::extrapolated);
}

TEST(CollectiveTable, KnowsNothingOfAnOperationThatWasNeverMeasured) {
  const CollectiveTable table({point(reduce, 8, 1024, 10)});
  EXPECT_FALSE(table.time(CollectiveOp::broadcast, 8, Bytes{1024}).has_value());
}

TEST(CollectiveTable, TakesNoTimeForOneRankOrNothingToSend) {
  const CollectiveTable table({point(reduce, 8, 1024, 10)});
  EXPECT_EQ(us(table, reduce, 1, 1024), 0.0);
  EXPECT_EQ(us(table, reduce, 8, 0), 0.0);
}

TEST(CollectiveTable, NeverGetsFasterWithSizeInShippedProfiles) {
  for (const std::string& name : profile_presets()) {
    const CollectiveTable table(load_profile(name).collectives);
    for (const CollectiveOp op : all_collective_ops)
      for (const std::int64_t ranks : {2, 3, 4, 5, 6, 7, 8, 12, 16, 36, 64, 72}) {
        double before = 0.0;
        for (double size = 64.0; size < 6e10; size *= 1.37) {
          const auto estimate = table.time(op, ranks, Bytes{size});
          if (!estimate) break;
          EXPECT_GE(estimate->time.value(), before * (1.0 - 1e-12))
              << name << " " << name_of(op) << " " << ranks << " ranks, " << size << " bytes";
          before = estimate->time.value();
        }
      }
  }
}

}  // namespace
}  // namespace stepcast

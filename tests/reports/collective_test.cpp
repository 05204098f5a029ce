#include "reports/collective.hpp"

#include <gtest/gtest.h>

#include "reports/profile_library.hpp"

namespace stepcast {
namespace {

std::vector<CollectiveRow> sweep(CollectiveOp op, double first, double last, std::int64_t ranks) {
  static ProfileLibrary profiles;
  const LoadedProfile& loaded = profiles.get("h100-sxm");
  const Cluster cluster = load_cluster("dgx-h100:2");
  return collective_sweep(cluster, loaded.profile, *loaded.costs,
                          {op, Bytes{first}, Bytes{last}, 2.0, ranks});
}

TEST(CollectiveSweep, DoublesFromFirstToLast) {
  const auto rows = sweep(CollectiveOp::all_reduce, 8, 100, 8);
  std::vector<double> sizes;
  for (const CollectiveRow& row : rows) sizes.push_back(row.bytes.value());
  EXPECT_EQ(sizes, (std::vector<double>{8, 16, 32, 64}));
}

TEST(CollectiveSweep, CountsNodesOfTheRanks) {
  EXPECT_EQ(sweep(CollectiveOp::all_reduce, 8, 8, 8)[0].nodes, 1);
  EXPECT_EQ(sweep(CollectiveOp::all_reduce, 8, 8, 16)[0].nodes, 2);
}

TEST(CollectiveSweep, BandwidthsAreNcclTests) {
  const CollectiveRow row = sweep(CollectiveOp::all_reduce, 1 << 20, 1 << 20, 8)[0];
  const double seconds = row.estimate.time().value();
  EXPECT_DOUBLE_EQ(row.algbw().value(), 1048576.0 / seconds);
  EXPECT_DOUBLE_EQ(row.busbw().value(), 1048576.0 / seconds * 14.0 / 8.0);  // 2 (n - 1) / n
}

TEST(CollectiveText, HasNcclTestsColumns) {
  CollectiveRow row;
  row.ranks = 4;
  row.bytes = Bytes{4096};
  row.estimate.latency = Seconds{8e-6};
  row.estimate.transfer = Seconds{2e-6};
  // 4096 B in 10 us: 0.4096 GB/s, times 6/4.
  EXPECT_EQ(collective_text({row}),
            "size (B)  count (elements)   type  time (us)  algbw (GB/s)  busbw (GB/s)  algorithm  "
            "protocol  basis\n"
            "    4096              1024  float       10.0         0.410         0.614  ring       "
            "simple    analytical\n");
}

}  // namespace
}  // namespace stepcast

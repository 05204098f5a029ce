#include "sim/plan/unit_costs.hpp"

#include <gtest/gtest.h>

#include "tests/sim/plan/plan_fixtures.hpp"

namespace stepcast {
namespace {

UnitCosts costs_of(const Run& run) { return {run, test::h100(), test::h100_costs()}; }

TEST(UnitCosts, OneReplicaReducesNothing) {
  const auto run = test::run_with({"parallel.tensor=2", "parallel.pipeline=2"});
  EXPECT_EQ(costs_of(run).reduce(run, 1'000'000), 0.0);
  EXPECT_EQ(costs_of(run).gather(run, 1'000'000), 0.0);
  EXPECT_GT(costs_of(run).update(run, 1'000'000), 0.0);
}

TEST(UnitCosts, ShardedOptimizerScattersGathersAndUpdatesItsPart) {
  const auto whole = test::run_with({"parallel.data=4"});
  const auto sharded = test::run_with({"parallel.data=4", "parallel.sharding=optimizer"});
  const std::int64_t parameters = 400'000'000;
  EXPECT_LT(costs_of(sharded).reduce(sharded, parameters),
            costs_of(whole).reduce(whole, parameters));
  EXPECT_GT(costs_of(sharded).gather(sharded, parameters), 0.0);
  EXPECT_LT(costs_of(sharded).update(sharded, parameters),
            costs_of(whole).update(whole, parameters));
}

TEST(UnitCosts, HasATransferForEachStage) {
  const auto run = test::run_with({"parallel.pipeline=4"});
  const std::vector<double> transfers = costs_of(run).transfers(run);
  ASSERT_EQ(transfers.size(), 4U);
  for (const double time : transfers) EXPECT_EQ(time, transfers.front());
  EXPECT_TRUE(costs_of(test::run_with({})).transfers(test::run_with({})).empty());
}

TEST(UnitCosts, TransfersBetweenServersTakeLonger) {
  nlohmann::json document = test::small_run();
  document["cluster"] = {{"server", "dgx-h100"}, {"gpus", 16}};
  document["parallel"] = {{"tensor", 4}, {"pipeline", 4}};
  document["training"]["sequence_length"] = 8192;
  const auto run = parse_run("run", document);
  // Stages 0, 1 on one server and 2, 3 on the other.
  const std::vector<double> transfers = costs_of(run).transfers(run);
  EXPECT_EQ(transfers[0], transfers[2]);
  EXPECT_GT(transfers[1], transfers[0]);
  EXPECT_EQ(transfers[3], transfers[1]);
}

}  // namespace
}  // namespace stepcast

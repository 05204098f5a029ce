#include "sim/network/placement.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "network_fixtures.hpp"
#include "sim/parallel/rank_groups.hpp"

namespace stepcast {
namespace {

using testing_network::first_ranks;
using testing_network::Ranks;
using testing_network::rate_of;
using testing_network::strided;

constexpr double tolerance = 1.0;  // bytes/s

TEST(PlaceGroups, OneRankUsesNothing) {
  const Placement placement = place_groups(load_cluster("dgx-h100:1"), {{3}});
  EXPECT_EQ(placement.ranks, 1);
  EXPECT_EQ(placement.nodes, 1);
  EXPECT_TRUE(placement.ring.empty());
}

TEST(PlaceGroups, DescribesAGroupInOneNode) {
  const Placement placement = place_groups(load_cluster("dgx-h100:2"), {first_ranks(8)});
  EXPECT_EQ(placement.ranks, 8);
  EXPECT_EQ(placement.nodes, 1);
  EXPECT_EQ(placement.nvlink_domains, 1);
  EXPECT_EQ(placement.ranks_per_domain, 8);
  EXPECT_NEAR(rate_of(placement.ring, LinkTier::nvlink), 450e9, tolerance);
  EXPECT_EQ(rate_of(placement.ring, LinkTier::nic), 0.0);
  EXPECT_GT(placement.domain_latency, Seconds{});
  EXPECT_EQ(placement.network_latency, Seconds{});
}

TEST(PlaceGroups, AWholeNodeCrossesByAllItsNics) {
  // 8 channels, each leaving by another GPU's 50 GB/s NIC: 400 GB/s for the ring.
  const Placement placement = place_groups(load_cluster("dgx-h100:4"), {first_ranks(32)});
  EXPECT_EQ(placement.nodes, 4);
  EXPECT_EQ(placement.ranks_per_domain, 8);
  EXPECT_NEAR(rate_of(placement.ring, LinkTier::nic), 400e9, tolerance);
  EXPECT_NEAR(rate_of(placement.ring, LinkTier::nvlink), 450e9, tolerance);
  EXPECT_GT(placement.network_latency, placement.domain_latency);
}

TEST(PlaceFirstRanks, AreOneGroupFromGpuZero) {
  const Placement placement = place_first_ranks(load_cluster("dgx-h100:2"), 12);
  EXPECT_EQ(placement.ranks, 12);
  EXPECT_EQ(placement.nodes, 2);
  EXPECT_EQ(placement.groups.size(), 1U);
  EXPECT_EQ(placement.groups.front().front(), 0U);
  EXPECT_EQ(placement.groups.front().back(), 11U);
}

TEST(PlaceGroups, OneRankANodeHasItsOwnNicBesideItsSiblings) {
  const Cluster cluster = load_cluster("dgx-h100:4");
  std::vector<Ranks> siblings;
  for (std::uint32_t i = 0; i < 8; ++i) siblings.push_back(strided(i, 8, 4));
  const Placement alone = place_groups(cluster, {siblings.front()});
  const Placement together = place_groups(cluster, siblings);
  EXPECT_EQ(alone.ranks_per_domain, 1);
  EXPECT_NEAR(rate_of(alone.ring, LinkTier::nic), 50e9, tolerance);
  EXPECT_NEAR(rate_of(together.ring, LinkTier::nic), 50e9, tolerance);
}

TEST(PlaceGroups, SiblingsShareNicsWhenThereAreFewer) {
  // 4 NICs for 8 GPUs: two of the eight rings on each.
  ServerSpec server = server_preset("dgx-a100");
  server.nics = 4;
  const Cluster cluster = build_cluster(server, 4, server.fabric);
  std::vector<Ranks> siblings;
  for (std::uint32_t i = 0; i < 8; ++i) siblings.push_back(strided(i, 8, 4));
  EXPECT_NEAR(rate_of(place_groups(cluster, {siblings[0]}).ring, LinkTier::nic), 25e9, tolerance);
  EXPECT_NEAR(rate_of(place_groups(cluster, siblings).ring, LinkTier::nic), 12.5e9, tolerance);
  EXPECT_NEAR(rate_of(place_groups(cluster, {first_ranks(32)}).ring, LinkTier::nic), 100e9,
              tolerance);
}

TEST(PlaceGroups, TwoRanksANodeCrossByTwoNics) {
  const Placement placement = place_groups(load_cluster("dgx-h100:2"), {{0, 1, 8, 9}});
  EXPECT_NEAR(rate_of(placement.ring, LinkTier::nic), 100e9, tolerance);
}

TEST(PlaceGroups, UnevenNodesAreLimitedByTheSmallest) {
  // 3 ranks on the second node carry all channels: 3 NICs.
  const Placement placement =
      place_groups(load_cluster("dgx-h100:2"), {{0, 1, 2, 3, 4, 5, 8, 9, 10}});
  EXPECT_EQ(placement.ranks_per_domain, 6);
  EXPECT_NEAR(rate_of(placement.ring, LinkTier::nic), 150e9, tolerance);
}

TEST(PlaceGroups, OversubscriptionLimitsRingsThatMeetOnTheSpine) {
  // Eight rails on leaf-spine with 1 server a leaf, 4:1: a server's 8 rings share 100 GB/s upward.
  ServerSpec server = server_preset("dgx-h100");
  FabricSpec fabric = server.fabric;
  fabric.kind = FabricKind::leaf_spine;
  fabric.nodes_per_leaf = 1;
  fabric.oversubscription = 4.0;
  const Cluster cluster = build_cluster(server, 4, fabric);
  std::vector<Ranks> siblings;
  for (std::uint32_t i = 0; i < 8; ++i) siblings.push_back(strided(i, 8, 4));
  EXPECT_NEAR(rate_of(place_groups(cluster, siblings).ring, LinkTier::spine), 12.5e9, tolerance);
}

TEST(PlaceGroups, ARackOfSeventyTwoIsOneDomain) {
  const Placement placement = place_groups(load_cluster("gb200-nvl72:2"), {first_ranks(144)});
  EXPECT_EQ(placement.nvlink_domains, 2);
  EXPECT_EQ(placement.ranks_per_domain, 72);
  EXPECT_NEAR(rate_of(placement.ring, LinkTier::nic), 72 * 50e9, 100.0);
}

TEST(PairwiseUse, LeavesByEachRanksOwnNic) {
  // 16 ranks on 2 nodes: 8 of 15 parts cross, 50 GB/s * 15 / 8 = 93.75 GB/s a rank.
  const auto use = pairwise_use(load_cluster("dgx-h100:2"), {first_ranks(16)});
  EXPECT_NEAR(rate_of(use, LinkTier::nic), 93.75e9, tolerance);
  // Inside: 7 of 15 parts over 450 GB/s.
  EXPECT_NEAR(rate_of(use, LinkTier::nvlink), 450e9 * 15 / 7, 10.0);
}

TEST(PairwiseUse, OfLargeGroupsKeepsTheRanksOwnLinks) {
  // 1024 ranks: 1016 of 1023 parts cross, 7 stay.
  const auto use = pairwise_use(load_cluster("dgx-h100:128"), {first_ranks(1024)});
  EXPECT_NEAR(rate_of(use, LinkTier::nic), 50e9 * 1023 / 1016, 100.0);
  EXPECT_NEAR(rate_of(use, LinkTier::nvlink) / (450e9 * 1023 / 7), 1.0, 1e-6);
}

TEST(PairwiseUse, OfSiblingsAddsUpWhereTheyShare) {
  ServerSpec server = server_preset("dgx-a100");
  server.nics = 4;
  const Cluster cluster = build_cluster(server, 4, server.fabric);
  std::vector<Ranks> siblings;
  for (std::uint32_t i = 0; i < 8; ++i) siblings.push_back(strided(i, 8, 4));
  EXPECT_NEAR(rate_of(pairwise_use(cluster, siblings), LinkTier::nic), 12.5e9, tolerance);
}

TEST(PlaceGroups, ThousandsOfRanksTakeLittleTime) {
  const Cluster cluster = load_cluster("dgx-h100:512");
  ParallelConfig parallel;
  parallel.tensor = 8;
  parallel.pipeline = 16;
  parallel.data = 32;
  const auto begin = std::chrono::steady_clock::now();
  static_cast<void>(place_groups(cluster, rank_groups(parallel, GroupKind::tensor)));
  static_cast<void>(place_groups(cluster, rank_groups(parallel, GroupKind::data)));
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  RecordProperty("milliseconds", static_cast<int>(taken.count() * 1e3));
  EXPECT_LT(taken.count(), 5.0);  // 20 ms without sanitizers on an idle core
}

TEST(PlacePairs, OnePairBetweenNodesHasOneNic) {
  const Placement placement = place_pairs(load_cluster("dgx-h100:2"), {0}, {8});
  EXPECT_EQ(placement.ranks, 2);
  EXPECT_EQ(placement.nodes, 2);
  EXPECT_EQ(placement.nvlink_domains, 2);
  EXPECT_NEAR(rate_of(placement.ring, LinkTier::nic), 50e9, tolerance);
}

TEST(PlacePairs, NeighboursInANodeUseNvlink) {
  const Placement placement = place_pairs(load_cluster("dgx-h100:1"), {0, 1}, {2, 3});
  EXPECT_EQ(placement.nvlink_domains, 1);
  EXPECT_NEAR(rate_of(placement.ring, LinkTier::nvlink), 450e9, tolerance);
}

TEST(PlacePairs, PairsOfOneNicShareIt) {
  ServerSpec server = server_preset("dgx-a100");
  server.nics = 4;
  const Cluster cluster = build_cluster(server, 2, server.fabric);
  const Placement placement = place_pairs(cluster, first_ranks(8), strided(8, 1, 8));
  EXPECT_NEAR(rate_of(placement.ring, LinkTier::nic), 12.5e9, tolerance);
}

// Placements of each stage's groups and boundaries, as numbers.
std::vector<double> stage_loads(const Cluster& cluster, const ParallelConfig& parallel,
                                std::int64_t stage) {
  std::vector<double> loads;
  const auto add = [&](const Placement& placement) {
    loads.push_back(static_cast<double>(placement.nodes));
    loads.push_back(placement.network_latency.value());
    for (const TierUse& use : placement.ring) {
      loads.push_back(static_cast<double>(use.tier));
      loads.push_back(use.seconds_per_byte);
    }
  };
  for (const GroupKind kind : {GroupKind::tensor, GroupKind::context, GroupKind::data_context})
    add(place_groups(cluster, rank_groups_of_stage(parallel, kind, stage)));
  const auto ranks_of = [&](std::int64_t of) {
    std::vector<std::uint32_t> ranks;
    RankCoordinates where{.pipeline = of};
    for (where.data = 0; where.data < parallel.data; ++where.data)
      for (where.context = 0; where.context < parallel.context; ++where.context)
        for (where.tensor = 0; where.tensor < parallel.tensor; ++where.tensor)
          ranks.push_back(rank_of(parallel, where));
    return ranks;
  };
  add(place_pairs(cluster, ranks_of(stage), ranks_of((stage + 1) % parallel.pipeline)));
  return loads;
}

TEST(Placement, StagesPlacedAlikeLoadLinksAlike) {
  std::size_t alike = 0, different = 0;
  for (const char* name : {"dgx-h100:8", "dgx-h100:64", "dgx-a100:12", "gb200-nvl72:2"}) {
    const Cluster cluster = load_cluster(name);
    const std::int64_t gpus = cluster.topology.gpu_count();
    for (const std::int64_t tensor : {1, 2, 4, 8})
      for (const std::int64_t pipeline : {2, 3, 4, 8})
        for (const std::int64_t context : {1, 2}) {
          if (gpus % (tensor * pipeline * context) != 0) continue;
          ParallelConfig parallel;
          parallel.tensor = tensor;
          parallel.pipeline = pipeline;
          parallel.context = context;
          parallel.data = gpus / (tensor * pipeline * context);
          if (!stages_are_placed_alike(cluster, parallel)) {
            ++different;
            continue;
          }
          ++alike;
          const std::vector<double> first = stage_loads(cluster, parallel, 0);
          for (std::int64_t stage = 1; stage < pipeline; ++stage)
            EXPECT_EQ(stage_loads(cluster, parallel, stage), first) << name << " stage " << stage;
        }
  }
  EXPECT_GT(alike, 20U);
  EXPECT_GT(different, 5U);
}

}  // namespace
}  // namespace stepcast

#pragma once

#include <cstdint>
#include <vector>

#include "sim/parallel/rank_groups.hpp"
#include "topologies/cluster.hpp"

namespace stepcast {

// Load on the busiest link of one tier: seconds for which one byte on the wire of every rank
// occupies it, sibling groups included. A flow of B bytes/s per rank uses B * seconds_per_byte of
// that link.
struct TierUse {
  LinkTier tier = LinkTier::nvlink;
  double seconds_per_byte = 0.0;
};

// How the groups of one kind sit on the cluster when they all communicate at once, as they do in
// training: every tensor group of a stage works in the same moment.
struct Placement {
  std::int64_t ranks = 1;
  std::int64_t nodes = 1;  // servers touched by one group
  std::int64_t nvlink_domains = 1;
  std::int64_t ranks_per_domain = 1;  // most ranks of one group in one NVLink domain
  // Ring traffic: rank i to rank i + 1, rings entering and leaving each domain by its members' own
  // NICs (NCCL channels spread over them; SEMANTICS 7.2 "Hierarchical ring").
  std::vector<TierUse> ring;
  // Every rank to every other, equal shares (all-to-all). Of groups it is counted only when asked
  // for, by pairwise_use(cluster, groups), and empty here.
  std::vector<TierUse> pairwise;
  std::vector<std::vector<std::uint32_t>> groups;  // all siblings
  Seconds domain_latency;                          // one hop inside a domain
  Seconds network_latency;                         // longest path between consecutive ranks
};

// `siblings`: all groups that communicate at the same time; the first is the representative.
[[nodiscard]] Placement place_groups(const Cluster& cluster,
                                     const std::vector<std::vector<std::uint32_t>>& siblings);

// One group of GPUs 0 .. ranks - 1, as nccl-tests runs on them.
[[nodiscard]] Placement place_first_ranks(const Cluster& cluster, std::int64_t ranks);

// Loads of an all-to-all in every group at once: one byte of every rank on the wire, in equal parts
// to all others. Exact up to 8192 flows; above that some distances between ranks stand for all,
// which keeps the loads of the ranks' own links where groups list their ranks node by node.
[[nodiscard]] std::vector<TierUse> pairwise_use(
    const Cluster& cluster, const std::vector<std::vector<std::uint32_t>>& groups);

// Whether every pipeline stage sits on the cluster as the first one does, so that its groups, and
// what it sends to the next stage, load links alike: stages of whole servers, in whole leaf groups
// or under one, in a cluster without changes. False where that is not plain to see.
[[nodiscard]] bool stages_are_placed_alike(const Cluster& cluster, const ParallelConfig& parallel);

// One message from each `from[i]` to `to[i]`, all at once (pipeline stages exchanging activations).
[[nodiscard]] Placement place_pairs(const Cluster& cluster, const std::vector<std::uint32_t>& from,
                                    const std::vector<std::uint32_t>& to);

}  // namespace stepcast

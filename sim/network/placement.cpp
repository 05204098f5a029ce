#include "sim/network/placement.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "common/errors.hpp"
#include "sim/network/link_loads.hpp"

namespace stepcast {
namespace {

using Group = std::vector<std::uint32_t>;

// Members of a group by NVLink domain, domains in order of first appearance: the order in which a
// ring visits them.
std::vector<Group> islands_of(const Topology& topology, const Group& group) {
  std::map<std::uint32_t, std::size_t> known;
  std::vector<Group> islands;
  for (const std::uint32_t rank : group) {
    const auto [at, is_new] =
        known.try_emplace(topology.nvlink_domain_of(GpuId{rank}), islands.size());
    if (is_new) islands.emplace_back();
    islands[at->second].push_back(rank);
  }
  return islands;
}

// Channels of a ring, such that every member of every island can carry the same number of them.
std::size_t channel_count(const std::vector<Group>& islands) {
  constexpr std::size_t most = 128;  // uneven islands: their shares differ by one in 128 at most
  std::size_t channels = 1;
  for (const Group& island : islands) {
    channels = std::lcm(channels, island.size());
    if (channels > most) return most;
  }
  return channels;
}

void add_cycle(const Group& members, LinkLoads& loads) {
  if (members.size() < 2) return;
  for (std::size_t i = 0; i < members.size(); ++i)
    loads.add(GpuId{members[i]}, GpuId{members[(i + 1) % members.size()]}, 1.0);
}

// One byte from every rank to the next. Each channel enters and leaves an island by the NIC of
// another member: it closes its cycle inside (the last hop hands over to the member with the NIC),
// so that links inside carry a full byte however many channels there are.
void add_ring(const std::vector<Group>& islands, LinkLoads& loads) {
  for (const Group& island : islands) add_cycle(island, loads);
  if (islands.size() == 1) return;
  const std::size_t channels = channel_count(islands);
  const double share = 1.0 / static_cast<double>(channels);
  for (std::size_t i = 0; i < islands.size(); ++i) {
    const Group& here = islands[i];
    const Group& next = islands[(i + 1) % islands.size()];
    for (std::size_t channel = 0; channel < channels; ++channel)
      loads.add(GpuId{here[channel % here.size()]}, GpuId{next[channel % next.size()]}, share);
  }
}

// Distances first .. last, thinned to at most `most` evenly spaced ones.
std::vector<std::size_t> distances(std::size_t first, std::size_t last, std::size_t most) {
  std::vector<std::size_t> chosen;
  const std::size_t count = last - first + 1;
  const std::size_t steps = std::min(count, most);
  for (std::size_t i = 0; i < steps; ++i) chosen.push_back(first + i * count / steps);
  return chosen;
}

// `amount` from every member to the members at these distances further on, in equal parts.
void add_shifts(const Group& members, double amount, const std::vector<std::size_t>& shifts,
                LinkLoads& loads) {
  for (const std::size_t shift : shifts)
    for (std::size_t i = 0; i < members.size(); ++i)
      loads.add(GpuId{members[i]}, GpuId{members[(i + shift) % members.size()]},
                amount / static_cast<double>(shifts.size()));
}

// All flows of a group one by one.
void add_all_pairs(const Group& group, LinkLoads& loads) {
  add_shifts(group, 1.0, distances(1, group.size() - 1, group.size()), loads);
}

// Traffic inside islands and between them, each by some distances. Between islands a distance of at
// least the largest island's size leaves the island whoever sends.
void add_some_pairs(const Group& group, std::size_t most, const Topology& topology,
                    LinkLoads& loads) {
  const std::vector<Group> islands = islands_of(topology, group);
  const auto peers = static_cast<double>(group.size() - 1);
  Group by_island;
  std::size_t largest = 0;
  for (const Group& island : islands) {
    largest = std::max(largest, island.size());
    by_island.insert(by_island.end(), island.begin(), island.end());
    if (island.size() > 1)
      add_shifts(island, static_cast<double>(island.size() - 1) / peers,
                 distances(1, island.size() - 1, most), loads);
  }
  if (islands.size() == 1) return;
  const std::size_t last = std::max(largest, group.size() - largest);
  add_shifts(by_island, static_cast<double>(group.size() - largest) / peers,
             distances(largest, last, most), loads);
}

void describe(const Cluster& cluster, const std::vector<Group>& islands, Placement& placement) {
  const Topology& topology = cluster.topology;
  std::set<std::uint32_t> nodes;
  std::size_t largest = 0;
  for (const Group& island : islands) {
    for (const std::uint32_t rank : island) nodes.insert(topology.node_of(GpuId{rank}));
    largest = std::max(largest, island.size());
    if (island.size() > 1)
      placement.domain_latency =
          std::max(placement.domain_latency, topology.latency(GpuId{island[0]}, GpuId{island[1]}));
  }
  placement.nodes = static_cast<std::int64_t>(nodes.size());
  placement.nvlink_domains = static_cast<std::int64_t>(islands.size());
  placement.ranks_per_domain = static_cast<std::int64_t>(largest);
  for (std::size_t i = 0; islands.size() > 1 && i < islands.size(); ++i)
    placement.network_latency =
        std::max(placement.network_latency,
                 topology.latency(GpuId{islands[i].front()},
                                  GpuId{islands[(i + 1) % islands.size()].front()}));
}

}  // namespace

Placement place_groups(const Cluster& cluster, const std::vector<Group>& siblings) {
  STEPCAST_CHECK(!siblings.empty() && !siblings.front().empty());
  Placement placement;
  placement.ranks = static_cast<std::int64_t>(siblings.front().size());
  describe(cluster, islands_of(cluster.topology, siblings.front()), placement);
  if (placement.ranks == 1) return placement;
  LinkLoads ring(cluster.topology);
  for (const Group& group : siblings)
    if (group.size() > 1) add_ring(islands_of(cluster.topology, group), ring);
  placement.ring = ring.busiest();
  placement.groups = siblings;
  return placement;
}

Placement place_first_ranks(const Cluster& cluster, std::int64_t ranks) {
  Group group(static_cast<std::size_t>(ranks));
  std::iota(group.begin(), group.end(), 0U);
  return place_groups(cluster, {group});
}

std::vector<TierUse> pairwise_use(const Cluster& cluster, const std::vector<Group>& groups) {
  constexpr std::size_t exact_flows = 8192;
  constexpr std::size_t fewest_distances = 4;
  std::size_t ranks = 0;
  std::size_t flows = 0;
  for (const Group& group : groups) {
    ranks += group.size();
    flows += group.size() * (group.size() - 1);
  }
  LinkLoads loads(cluster.topology);
  const std::size_t most =
      std::max(fewest_distances, exact_flows / std::max<std::size_t>(ranks, 1));
  for (const Group& group : groups) {
    if (group.size() < 2) continue;
    if (flows <= exact_flows)
      add_all_pairs(group, loads);
    else
      add_some_pairs(group, most, cluster.topology, loads);
  }
  return loads.busiest();
}

Placement place_pairs(const Cluster& cluster, const std::vector<std::uint32_t>& from,
                      const std::vector<std::uint32_t>& to) {
  STEPCAST_CHECK(!from.empty() && from.size() == to.size());
  Placement placement;
  placement.ranks = 2;
  LinkLoads loads(cluster.topology);
  for (std::size_t i = 0; i < from.size(); ++i) {
    loads.add(GpuId{from[i]}, GpuId{to[i]}, 1.0);
    Placement pair;
    describe(cluster, islands_of(cluster.topology, {from[i], to[i]}), pair);
    placement.nodes = std::max(placement.nodes, pair.nodes);
    placement.nvlink_domains = std::max(placement.nvlink_domains, pair.nvlink_domains);
    placement.ranks_per_domain = i == 0
                                     ? pair.ranks_per_domain
                                     : std::min(placement.ranks_per_domain, pair.ranks_per_domain);
    placement.domain_latency = std::max(placement.domain_latency, pair.domain_latency);
    placement.network_latency = std::max(placement.network_latency, pair.network_latency);
  }
  placement.ring = placement.pairwise = loads.busiest();
  return placement;
}

bool stages_are_placed_alike(const Cluster& cluster, const ParallelConfig& parallel) {
  const Changes& changes = cluster.changes;
  if (cluster.explicit_graph || !changes.slow_links.empty() || !changes.dead_nodes.empty() ||
      parallel.order != "tp-cp-ep-dp-pp" || cluster.fabric.kind == FabricKind::three_level_fat_tree)
    return false;
  const std::int64_t ranks = parallel.tensor * parallel.context * parallel.data;
  if (ranks % cluster.server.gpus != 0) return false;
  const std::int64_t nodes = ranks / cluster.server.gpus;
  const std::int64_t below_leaf = cluster.fabric.nodes_per_leaf;
  return cluster.fabric.kind == FabricKind::single_switch || cluster.nodes <= below_leaf ||
         nodes % below_leaf == 0;
}

}  // namespace stepcast

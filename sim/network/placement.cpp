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

// Distances 1 .. n - 1 around a group, thinned to about `most` evenly spaced ones.
std::vector<std::size_t> distances(std::size_t ranks, std::size_t most) {
  std::vector<std::size_t> all(ranks - 1);
  std::iota(all.begin(), all.end(), std::size_t{1});
  if (all.size() <= most) return all;
  std::vector<std::size_t> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(all[i * all.size() / most]);
  return some;
}

// One byte from every rank, in equal parts to all others. Traffic inside islands is exact; of large
// groups only some distances stand for the traffic between islands (every rank sends and receives
// the same, so its own NIC's load stays exact).
void add_pairwise(const Group& group, const std::vector<Group>& islands, std::size_t most,
                  LinkLoads& loads) {
  const auto peers = static_cast<double>(group.size() - 1);
  std::map<std::uint32_t, std::size_t> island_of;
  for (std::size_t i = 0; i < islands.size(); ++i) {
    for (const std::uint32_t rank : islands[i]) island_of[rank] = i;
    for (const std::uint32_t from : islands[i])
      for (const std::uint32_t to : islands[i])
        if (from != to) loads.add(GpuId{from}, GpuId{to}, 1.0 / peers);
  }
  if (islands.size() == 1) return;
  const auto chosen = distances(group.size(), most);
  for (std::size_t i = 0; i < group.size(); ++i) {
    std::vector<std::uint32_t> outside;
    for (const std::size_t distance : chosen) {
      const std::uint32_t to = group[(i + distance) % group.size()];
      if (island_of[to] != island_of[group[i]]) outside.push_back(to);
    }
    const auto members = static_cast<double>(islands[island_of[group[i]]].size());
    const double crossing = (static_cast<double>(group.size()) - members) / peers;
    for (const std::uint32_t to : outside)
      loads.add(GpuId{group[i]}, GpuId{to}, crossing / static_cast<double>(outside.size()));
  }
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
  LinkLoads pairwise(cluster.topology);
  constexpr std::size_t flow_budget = 1 << 16;  // routes looked up for the pairwise loads
  const std::size_t ranks = siblings.size() * siblings.front().size();
  const std::size_t most = std::max<std::size_t>(16, flow_budget / ranks);
  for (const Group& group : siblings) {
    if (group.size() < 2) continue;
    const std::vector<Group> islands = islands_of(cluster.topology, group);
    add_ring(islands, ring);
    add_pairwise(group, islands, most, pairwise);
  }
  placement.ring = ring.busiest();
  placement.pairwise = pairwise.busiest();
  return placement;
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

}  // namespace stepcast

#include "reports/health_causes.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "sim/network/collectives.hpp"
#include "topologies/graph_json.hpp"

namespace stepcast {
namespace {

// `links` on top of the cluster's own changes; nothing when such a cluster cannot be built or its
// GPUs no longer reach each other.
void add_fault(const std::string& name, const Cluster& healthy, std::int64_t ranks,
               const std::vector<SlowLink>& links, std::vector<Fault>& faults) {
  Changes changes = healthy.changes;
  changes.slow_links.insert(changes.slow_links.end(), links.begin(), links.end());
  try {
    Cluster cluster =
        build_cluster(healthy.server, healthy.nodes, healthy.fabric, std::move(changes));
    if (!missing_path(cluster.topology).empty()) return;
    Placement placement = place_first_ranks(cluster, ranks);
    faults.push_back({name, std::move(cluster), std::move(placement)});
  } catch (const std::invalid_argument&) {
    return;
  }
}

// The first `count` NICs of each of `nodes` servers at `factor` of their rate.
std::vector<SlowLink> slow_nics(std::int64_t nodes, std::int64_t count, double factor) {
  std::vector<SlowLink> links;
  for (std::int64_t node = 0; node < nodes; ++node)
    for (std::int64_t nic = 0; nic < count; ++nic)
      links.push_back({LinkTier::nic, node, nic, factor});
  return links;
}

}  // namespace

std::vector<Fault> likely_faults(const Cluster& cluster, std::int64_t ranks) {
  std::vector<Fault> faults;
  if (cluster.explicit_graph) return faults;
  const std::int64_t nics = cluster.server.nics;
  if (cluster.nodes > 1) {
    if (nics > 1) {
      add_fault("one NIC of a server missing", cluster, ranks, slow_nics(1, 1, 0.0), faults);
      add_fault("half of the NICs of every server missing", cluster, ranks,
                slow_nics(cluster.nodes, nics / 2, 0.0), faults);
      add_fault("all NICs but one of every server missing", cluster, ranks,
                slow_nics(cluster.nodes, nics - 1, 0.0), faults);
    }
    add_fault("one NIC at half its rate", cluster, ranks, slow_nics(1, 1, 0.5), faults);
  }
  if (cluster.server.nvlink_bandwidth.value() > 0.0) {
    std::vector<SlowLink> links;
    for (std::int64_t node = 0; node < cluster.nodes; ++node)
      links.push_back({LinkTier::nvlink, node, std::nullopt, 0.0});
    add_fault("NVLink unused: traffic takes the PCIe path", cluster, ranks, links, faults);
  }
  return faults;
}

std::string likely_cause(const std::vector<Fault>& faults, CollectiveOp op, Bytes size,
                         Seconds measured, Seconds healthy, const Profile& profile,
                         const CostModel& costs) {
  constexpr double near = 1.2;  // assumption: ratio of times up to which a fault explains one
  std::string cause = "none of the faults that are tried comes near";
  double best = std::min(std::log(near), std::abs(std::log(measured / healthy)));
  for (const Fault& fault : faults) {
    const CollectiveModel model(fault.cluster, profile, costs);
    const Seconds time = model.estimate(op, size, fault.placement).time();
    const double distance = std::abs(std::log(measured / time));
    if (distance >= best) continue;
    best = distance;
    cause = fault.name;
  }
  return cause;
}

}  // namespace stepcast

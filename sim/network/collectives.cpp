#include "sim/network/collectives.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "common/errors.hpp"
#include "sim/network/effective_bandwidth.hpp"
#include "sim/network/nccl_tuner.hpp"

namespace stepcast {
namespace {

// assumption: spread of what the formulas say against measurement outside the tables, one standard
// deviation of the logarithm: bandwidth terms within 10 %, latencies within 50 % (some fabrics
// start twice as slowly).
constexpr double transfer_sigma = 0.10;
constexpr double latency_sigma = 0.50;

double combined_sigma(Seconds latency, Seconds transfer) {
  const double total = (latency + transfer).value();
  if (total <= 0.0) return 0.0;
  return (latency_sigma * latency.value() + transfer_sigma * transfer.value()) / total;
}

// Everything that one question needs.
struct Question {
  CollectiveOp op = CollectiveOp::all_reduce;
  Bytes size;
  const Placement& placement;
  const Cluster& cluster;
  const Profile& profile;
  const CostModel& costs;

  [[nodiscard]] NcclArchitecture architecture() const {
    return nccl_architecture(profile.device.compute_capability);
  }
  [[nodiscard]] bool one_domain() const { return placement.nvlink_domains == 1; }
  [[nodiscard]] Bytes ring_wire_bytes() const {
    return size * bus_bandwidth_factor(op, placement.ranks);
  }
  // NCCL's constants are a Hopper node's; other generations are slower to start.
  [[nodiscard]] double latency_scale() const {
    double published = 1.0;
    if (architecture() <= NcclArchitecture::ampere) published = 21.3 / 15.0;     // measured A100
    if (architecture() == NcclArchitecture::blackwell) published = 25.1 / 15.0;  // measured B200
    return profile.constant("nccl.base_latency_scale", published);
  }
};

NcclLatencies latencies_of(const Question& q) {
  // NCCL's hop constants stand for these latencies of wire and switch; longer paths add to them.
  constexpr Seconds domain_hop = microseconds(0.6);
  constexpr Seconds network_hop = microseconds(2.7);
  const auto beyond = [](Seconds found, Seconds known) {
    return std::max(found - known, Seconds{});
  };
  return {.network_overhead = nccl_network_overhead(q.cluster.server.cpu),
          .extra_domain_latency = beyond(q.placement.domain_latency, domain_hop),
          .extra_network_latency = beyond(q.placement.network_latency, network_hop)};
}

// Channels that NCCL opens: 24 inside an NVLink domain, 16 across (logs of 8-GPU Ampere and Hopper
// nodes). They only matter where a per-channel ceiling of the tuner binds.
std::int64_t channel_count(const Question& q) { return q.one_domain() ? 24 : 16; }

NcclGraph graph_with(const Question& q, BytesPerSecond bus) {
  const std::int64_t channels = channel_count(q);
  return {.ranks = q.placement.ranks,
          .nodes = q.placement.nvlink_domains,
          .channels = channels,
          .channel_bandwidth = bus / static_cast<double>(channels)};
}

CollectiveEstimate estimate_of(const Question& q, Algorithm algorithm, Protocol protocol,
                               Seconds latency, Seconds transfer) {
  CollectiveEstimate estimate;
  estimate.algorithm = algorithm;
  estimate.protocol = protocol;
  estimate.latency = latency * q.latency_scale();
  estimate.transfer = transfer;
  estimate.wire_bytes = q.ring_wire_bytes();
  estimate.use = q.placement.ring;
  estimate.relative_sigma = combined_sigma(estimate.latency, estimate.transfer);
  return estimate;
}

// Bus bandwidth of a ring or tree whose busiest domain sends `crossings` bytes over the network per
// wire byte of a rank, by at most `nics` NICs.
EffectiveBandwidth bus_bandwidth(const Question& q, double crossings, double nics) {
  const LinkEfficiency efficiency = link_efficiency(q.profile);
  auto bandwidth = effective_bandwidth(with_network_scaled(q.placement.ring, crossings),
                                       efficiency.nvlink, efficiency.network);
  const double nic = q.cluster.server.nic_bandwidth.value();
  if (!q.one_domain() && nic > 0.0)
    bandwidth.network =
        std::min(bandwidth.network, BytesPerSecond{efficiency.network * nics * nic / crossings});
  return bandwidth;
}

CollectiveEstimate ring(const Question& q, Protocol protocol) {
  const auto bandwidth = bus_bandwidth(q, 1.0, link_efficiency(q.profile).ring_nics);
  const NcclGraph graph = graph_with(q, bandwidth.least());
  const NcclLimits limits =
      nccl_limits(q.architecture(), q.cluster.server.cpu, q.placement.nvlink_domains);
  const NcclCost cost = nccl_ring(q.op, protocol, graph, limits, latencies_of(q));
  return estimate_of(q, Algorithm::ring, protocol,
                     cost.latency * nccl_ring_plateau(q.op, protocol, graph, q.size),
                     q.size / cost.algorithm_bandwidth);
}

// Bytes that the busiest domain of a tree sends over the network, per payload byte. With two
// domains each of the two trees crosses once up and once down; from three on some domain has a
// parent and two children in one tree and a parent in the other. Before Hopper the tuner rates the
// ring above that tree, and two-node runs stay below the NICs' rate up to 512 MiB (165 of 200 GB/s
// on OCI BM.GPU4.8, 188 of 200 on Azure NDmv4; from 1 GiB OCI reaches 238).
double tree_crossings(const Question& q) {
  const bool halves =
      q.placement.nvlink_domains == 2 && q.architecture() >= NcclArchitecture::hopper;
  return halves ? 1.0 : 2.0;
}

CollectiveEstimate tree(const Question& q, Protocol protocol) {
  // The formula takes bus bandwidth for 2 bytes per payload byte.
  const auto bandwidth =
      bus_bandwidth(q, 0.5 * tree_crossings(q), link_efficiency(q.profile).ring_nics);
  const NcclLimits limits =
      nccl_limits(q.architecture(), q.cluster.server.cpu, q.placement.nvlink_domains);
  const NcclCost cost =
      nccl_tree(protocol, graph_with(q, bandwidth.least()), limits, latencies_of(q));
  const double correction = nccl_tree_correction(protocol, q.size);
  CollectiveEstimate estimate = estimate_of(q, Algorithm::tree, protocol, cost.latency,
                                            q.size / (correction * cost.algorithm_bandwidth));
  if (!q.one_domain())
    estimate.use =
        with_network_scaled(q.placement.ring, tree_crossings(q) * (q.size / estimate.wire_bytes));
  return estimate;
}

// Reduction in the switches needs Hopper's or Blackwell's NVSwitch, and NCCL prefers it from five
// GPUs on (NCCL logs of H200 and B200).
bool has_nvls(const Question& q) {
  return q.op == CollectiveOp::all_reduce && q.architecture() >= NcclArchitecture::hopper &&
         q.placement.ranks_per_domain > 4 && q.cluster.server.nvlink_domain_gpus > 4;
}

// A rank sends its whole buffer to be reduced and its share of the result.
Bytes nvls_wire_bytes(const Question& q) {
  return q.size * (1.0 + 1.0 / static_cast<double>(q.placement.ranks_per_domain));
}

// Share of the NVLink rate that reduction in the switches reaches. Source: NCCL tuning.cc
// nvlsEfficiency over the graph rate of nccl_tuner; it only serves to choose, measurement gives the
// time.
BytesPerSecond nvls_algorithm_bandwidth(const Question& q) {
  const double efficiency = q.architecture() == NcclArchitecture::blackwell ? 0.74 : 0.85;
  const auto bandwidth = effective_bandwidth(q.placement.ring, efficiency, 1.0);
  return bandwidth.domain * (q.size / nvls_wire_bytes(q));
}

CollectiveEstimate nvls(const Question& q) {
  CollectiveEstimate estimate =
      estimate_of(q, Algorithm::nvls, Protocol::simple, nccl_nvls_latency(1, latencies_of(q)),
                  q.size / nvls_algorithm_bandwidth(q));
  estimate.wire_bytes = nvls_wire_bytes(q);
  return estimate;
}

Seconds node_floor(const Question& q, CollectiveOp op, std::int64_t ranks) {
  constexpr Bytes smallest{8};  // where nccl-tests starts
  const auto floor = q.costs.node_collective(op, ranks, smallest);
  return floor ? floor->time : Seconds{};
}

// NVLS in each domain and a tree between them, pipelined: as slow as the slower of the two.
std::optional<CollectiveEstimate> nvls_tree(const Question& q) {
  const std::int64_t local = q.placement.ranks_per_domain;
  const auto inside = q.costs.node_collective(CollectiveOp::all_reduce, local, q.size);
  if (!inside) return std::nullopt;
  const LinkEfficiency efficiency = link_efficiency(q.profile);
  const Seconds domain =
      (inside->time - node_floor(q, CollectiveOp::all_reduce, local)) / efficiency.nvls_tree;
  const double crossings = tree_crossings(q);
  const Seconds network = q.size / bus_bandwidth(q, crossings, efficiency.nvls_tree_nics).network;
  CollectiveEstimate estimate = estimate_of(
      q, Algorithm::nvls_tree, Protocol::simple,
      nccl_nvls_latency(q.placement.nvlink_domains, latencies_of(q)), std::max(domain, network));
  estimate.wire_bytes = nvls_wire_bytes(q);
  estimate.use = with_network_scaled(q.placement.ring, crossings * (q.size / estimate.wire_bytes));
  return estimate;
}

// What NCCL's tuner would pick: the smallest predicted time.
CollectiveEstimate chosen(const Question& q) {
  constexpr std::array all_protocols{Protocol::ll, Protocol::ll128, Protocol::simple};
  std::vector<CollectiveEstimate> candidates;
  for (const Protocol protocol : all_protocols) {
    candidates.push_back(ring(q, protocol));
    if (q.op == CollectiveOp::all_reduce) candidates.push_back(tree(q, protocol));
  }
  if (has_nvls(q)) {
    if (q.one_domain())
      candidates.push_back(nvls(q));
    else if (auto estimate = nvls_tree(q))
      candidates.push_back(*estimate);
  }
  return *std::min_element(candidates.begin(), candidates.end(),
                           [](const auto& a, const auto& b) { return a.time() < b.time(); });
}

// Measured times hold for the NVLink rate of the profile's device; slower or shared links stretch
// the transfer.
double stretch(const Question& q, const std::vector<TierUse>& use) {
  const double measured_rate = q.profile.device.nvlink_bandwidth.value();
  const double here = seconds_per_byte(use, LinkTier::nvlink);
  return measured_rate > 0.0 && here > 0.0 ? here * measured_rate : 1.0;
}

// Inside one domain: the profile's time under the name that the tuner would give it.
CollectiveEstimate in_domain(const Question& q, CollectiveEstimate named,
                             const Estimate& measured) {
  const Seconds floor = std::min(node_floor(q, q.op, q.placement.ranks), measured.time);
  const double factor = stretch(q, named.use);
  named.latency = floor;
  named.transfer = (measured.time - floor) * factor;
  named.relative_sigma = measured.relative_sigma;
  named.basis = std::abs(factor - 1.0) > 0.01 ? Basis::extrapolated : measured.basis;
  return named;
}

Protocol message_protocol(Bytes size) {
  // NCCL sends messages of up to 16 KiB per channel with LL (NCCL_P2P_LL_THRESHOLD).
  return size.value() <= 16384.0 ? Protocol::ll : Protocol::simple;
}

// Seconds before the first byte of a message inside a domain: NCCL's base and one hop.
Seconds domain_message_latency(const Question& q) {
  constexpr Seconds base_and_hop = microseconds(6.6 + 0.6);
  return q.latency_scale() * base_and_hop + latencies_of(q).extra_domain_latency;
}

// All-to-all as messages to every other rank in one kernel. The latency between domains: the base,
// one network hop and one post for every peer (A100, 16 ranks on 2 nodes: 52 us, measured 50).
CollectiveEstimate all_to_all(const Question& q) {
  const LinkEfficiency efficiency = link_efficiency(q.profile);
  const std::vector<TierUse> use = q.placement.pairwise.empty()
                                       ? pairwise_use(q.cluster, q.placement.groups)
                                       : q.placement.pairwise;
  const auto bandwidth = effective_bandwidth(use, efficiency.nvlink, efficiency.all_to_all);
  const NcclLatencies extra = latencies_of(q);
  Seconds latency = domain_message_latency(q);
  if (!q.one_domain())
    latency = microseconds(8.4 + 14.0) + extra.extra_network_latency +
              static_cast<double>(q.placement.ranks - 1) * extra.network_overhead;
  CollectiveEstimate estimate = estimate_of(q, Algorithm::point_to_point, Protocol::simple, {},
                                            q.ring_wire_bytes() / bandwidth.least());
  estimate.latency = latency;
  estimate.use = use;
  return estimate;
}

// One message, or one between each of many pairs at once. A pair between domains moves the measured
// rate of one NIC, divided by the pairs that share it.
CollectiveEstimate send_recv(const Question& q) {
  constexpr double published_share = 34.0 / 50.0;           // PyTorch send/recv, H100, one 400G NIC
  constexpr double published_domain_share = 376.0 / 450.0;  // copy between two H100
  const std::vector<TierUse>& use = q.placement.ring;
  BytesPerSecond rate{0.0};
  Seconds latency = domain_message_latency(q);
  if (q.one_domain() && seconds_per_byte(use, LinkTier::nvlink) > 0.0) {
    const BytesPerSecond link{1.0 / seconds_per_byte(use, LinkTier::nvlink)};
    const double nominal = q.cluster.server.nvlink_bandwidth.value();
    const double alone =
        q.profile.constant("nvlink.p2p_bandwidth_bytes_per_s", published_domain_share * nominal);
    rate = std::min(link, BytesPerSecond{alone * link.value() / nominal});
  } else {
    const BytesPerSecond nic = q.cluster.server.nic_bandwidth;
    const double alone = q.profile.constant("network.p2p_bandwidth_per_nic_bytes_per_s",
                                            published_share * nic.value());
    const double on_nic = seconds_per_byte(use, LinkTier::nic) * nic.value();  // pairs on one NIC
    const auto links = effective_bandwidth(use, link_efficiency(q.profile).nvlink,
                                           link_efficiency(q.profile).network);
    rate = links.least();
    if (on_nic > 0.0) rate = std::min(rate, BytesPerSecond{alone / on_nic});
    latency = Seconds{q.profile.constant("network.p2p_latency_s", 20e-6)} +
              latencies_of(q).extra_network_latency;
  }
  CollectiveEstimate estimate =
      estimate_of(q, Algorithm::point_to_point, message_protocol(q.size), {}, q.size / rate);
  estimate.latency = latency;
  estimate.basis = q.profile.constants.empty() ? Basis::analytical : Basis::extrapolated;
  return estimate;
}

CollectiveEstimate unmeasured(const Question& q) {
  switch (q.op) {
    case CollectiveOp::all_to_all: return all_to_all(q);
    case CollectiveOp::send_recv: return send_recv(q);
    default: return chosen(q);
  }
}

}  // namespace

std::string_view name_of(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::ring: return "ring";
    case Algorithm::tree: return "tree";
    case Algorithm::nvls: return "nvls";
    case Algorithm::nvls_tree: return "nvls_tree";
    case Algorithm::point_to_point: return "point_to_point";
  }
  return "";
}

std::string_view name_of(Protocol protocol) {
  switch (protocol) {
    case Protocol::ll: return "ll";
    case Protocol::ll128: return "ll128";
    case Protocol::simple: return "simple";
  }
  return "";
}

CollectiveModel::CollectiveModel(const Cluster& cluster, const Profile& profile,
                                 const CostModel& costs)
    : cluster_(cluster), profile_(profile), costs_(costs) {}

CollectiveEstimate CollectiveModel::estimate(CollectiveOp op, Bytes size,
                                             const Placement& placement) const {
  STEPCAST_CHECK(size >= Bytes{0.0});
  if (placement.ranks == 1 || size == Bytes{0.0}) return {};
  const Question q{op, size, placement, cluster_, profile_, costs_};
  CollectiveEstimate estimate = unmeasured(q);
  if (q.one_domain())
    if (const auto measured = costs_.node_collective(op, placement.ranks, size))
      estimate = in_domain(q, std::move(estimate), *measured);
  estimate.transfer = std::max(estimate.transfer, wire_bound(estimate.wire_bytes, estimate.use));
  return estimate;
}

}  // namespace stepcast

#pragma once

#include "sim/cost/profile.hpp"
#include "sim/network/nccl_tuner.hpp"
#include "sim/network/placement.hpp"

namespace stepcast {

// What NCCL reaches of a link's rate. Profile constants by name, else these published plateaus:
//   nvlink.ring_efficiency: ring bus bandwidth over NVLink rate: A100 235 of 300 GB/s, H100 and
//   H200
//     367 of 450, B200 682 of 900 (measured plateaus; NCCL's own graph search assumes 240, 370.8,
//     721.8).
//   network.collective_efficiency 0.955: bus bandwidth over the NICs' rate from three nodes on:
//   A100
//     8x200G 192 of 200 GB/s, B200 8x400G 382 of 400, H100 4x400G 190 of 200.
//   network.all_to_all_efficiency 0.81: A100 8x200G, 2 nodes: 37.8 of 46.9 GB/s.
//   nccl.nvls_tree_efficiency 0.93: 2 nodes of H100 471-487 GB/s (OCI, AWS; 16 GiB) where NVLS
//   alone
//     would give 515.
//   nccl.nvls_tree_nics 9: GB200 racks of 72, 16 GiB: 811 GB/s over 2, 405 over 20. fitted on these
//     two; servers with fewer NICs do not notice.
//   nccl.network_channels 16: a ring opens 16 channels between nodes and each uses one NIC
//     (NVIDIA/nccl issue 1218); servers with fewer NICs do not notice.
struct LinkEfficiency {
  double nvlink = 1.0;
  double network = 1.0;     // pcie, nic, spine and core
  double all_to_all = 1.0;  // of the network, many small flows
  double nvls_tree = 1.0;   // of the in-domain reduction, while a tree runs between domains
  double nvls_tree_nics = 1.0, ring_nics = 1.0;  // most NICs of a domain that one group uses
};
[[nodiscard]] LinkEfficiency link_efficiency(const Profile& profile);

// Bytes per second at which every rank can put bytes on the wire, by where the limit lies. A side
// that carries nothing is unlimited (infinity).
struct EffectiveBandwidth {
  BytesPerSecond domain;   // inside NVLink domains
  BytesPerSecond network;  // between them, or over PCIe
  [[nodiscard]] BytesPerSecond least() const { return std::min(domain, network); }
};
[[nodiscard]] EffectiveBandwidth effective_bandwidth(const std::vector<TierUse>& use,
                                                     double nvlink_efficiency,
                                                     double network_efficiency);

// seconds_per_byte of one tier; 0 when it carries nothing.
[[nodiscard]] double seconds_per_byte(const std::vector<TierUse>& use, LinkTier tier);

// `use` with the links outside NVLink carrying `factor` times as much per wire byte.
[[nodiscard]] std::vector<TierUse> with_network_scaled(std::vector<TierUse> use, double factor);

// Time for which the busiest link is occupied by `wire` bytes of every rank: no collective is
// faster.
[[nodiscard]] Seconds wire_bound(Bytes wire, const std::vector<TierUse>& use);

}  // namespace stepcast

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/json_node.hpp"
#include "common/units.hpp"
#include "topologies/topology.hpp"

namespace stepcast {

enum class FabricKind { single_switch, leaf_spine, rail_optimized, three_level_fat_tree };

// The network between servers. rail_optimized: NIC i of each server in a group goes to the group's
// leaf of rail i, and the leaves of all groups and rails meet in the spine (traffic between rails
// crosses it: relaying over NVLink, NCCL's PXN, is not modelled). leaf_spine: all NICs of a server
// go to one leaf. three_level_fat_tree: the same leaves in pods of leaves_per_pod with their own
// spine switches, pods joined by the core. single_switch: one ideal switch.
struct FabricSpec {
  FabricKind kind = FabricKind::rail_optimized;
  double oversubscription = 1.0;     // downlink over uplink bandwidth of a leaf
  std::int64_t nodes_per_leaf = 32;  // servers (or rails of servers) below one leaf group
  std::int64_t leaves_per_pod = 8;   // three-level fat tree only
  // One link of the network: its cable and the switch or NIC at its end. Two of them and four PCIe
  // links make the 2.7 us that NCCL's tuner gives to one ring step over a network
  // (src/graph/tuning.cc, ring LL; its PCIe step of 1.0 us over two links gives pcie_latency).
  Seconds hop_latency = microseconds(0.35);
  std::int64_t switch_ports = 64;  // of one leaf, spine or core switch; decides how many there are
};

// One server as its data sheet says; rates are per direction. An NVL72 rack is one server of 72
// GPUs: "gb200-nvl72:2" has 144.
struct ServerSpec {
  std::string name;
  std::string gpu;  // also the default profile's name: "h100-sxm"
  std::int64_t gpus = 8;
  std::int64_t nvlink_domain_gpus = 8;  // 72 in an NVL72 rack; 1 without NVLink
  BytesPerSecond nvlink_bandwidth;      // one GPU to its switches
  Seconds nvlink_latency;               // GPU to switch or switch to GPU
  BytesPerSecond pcie_bandwidth;        // one x16 port
  Seconds pcie_latency;                 // one PCIe link
  std::int64_t nics = 8;
  BytesPerSecond nic_bandwidth;  // one NIC
  Bytes gpu_memory;              // what the driver reports as total
  std::string cpu;               // "intel", "amd" or "arm": NCCL's overhead constants differ
  std::vector<std::string> sources;
  std::int64_t nvswitches = 0;  // chips of one NVLink domain; the graph has them as one vertex
  std::int64_t cpus = 2;        // sockets; neighbours 2i and 2i + 1 are linked
  std::int64_t rails = 0;       // NIC i is on rail i % rails; 0: one rail per NIC
  FabricSpec fabric{};          // what is usually built around this server
};

// A link, or all of a server's links of one tier, with `factor` of its bandwidth in both
// directions; 0 takes it out. It is named by its lower end: the GPU (nvlink, pcie), the NIC (nic),
// the leaf (spine) or the spine switch (core).
struct SlowLink {
  LinkTier tier = LinkTier::nic;
  std::int64_t node = 0;              // not for spine and core
  std::optional<std::int64_t> local;  // index of that end; absent: all of the server
  double factor = 1.0;
};

// How a cluster departs from nodes x server.
struct Changes {
  // GPUs in use, the last server partly; 0: all. Unused GPUs and the NICs only they are near to
  // are not in the graph.
  std::int64_t gpus = 0;
  std::vector<std::int64_t> dead_nodes{};  // not in the graph; the others keep their numbers
  std::vector<SlowLink> slow_links{};
};

struct Cluster {
  std::string name;  // "dgx-h100:8"
  ServerSpec server;
  std::int64_t nodes = 1;
  FabricSpec fabric;
  Topology topology;
  std::vector<std::string> warnings;
  Changes changes{};
  bool explicit_graph = false;  // read vertex by vertex: nodes, server and fabric only describe it
};

// Bounds on memory: GPUs of a cluster, NICs (and sockets) of a server.
inline constexpr std::int64_t most_gpus = 262144;
inline constexpr std::int64_t most_nics_per_gpu = 64;

// "dgx-h100:8" (server preset : nodes; "dgx-h100" is one server), or the path of a
// stepcast.topology document (anything with '/' or ending in ".json").
// Throws InputError or EnvironmentError.
[[nodiscard]] Cluster load_cluster(const std::string& name_or_path);
// A string as above (a relative path is tried beside the node's file first), or an object:
//   {server: preset | {a stepcast.server}, nodes | gpus, name,
//    fabric: {kind, oversubscription, nodes_per_leaf, leaves_per_pod, switch_ports,
//    hop_latency_us}, overrides: {gpus_per_node, nics, nic_bandwidth_GBps, nvlink_bandwidth_GBps,
//                pcie_bandwidth_GBps, nvlink_latency_us, pcie_latency_us, gpu_memory_GiB,
//                slow_links: [{tier, node, local, factor}], dead_nodes: [..]}}
// `gpus` alone takes as many servers as they need, the last partly filled. Or an explicit graph:
//   {server, vertices: [{name, kind, node}],
//    links: [{from, to, tier, bandwidth_GBps, latency_us, bidirectional: true}]}
// Problems go to the node's reader; on problems the returned cluster is a harmless one-GPU one.
// Throws EnvironmentError if a file cannot be read.
[[nodiscard]] Cluster parse_cluster(const Node& node);
// Throws std::invalid_argument on counts below 1, several servers without a NIC, or changes that
// name nothing.
[[nodiscard]] Cluster build_cluster(ServerSpec server, std::int64_t nodes, FabricSpec fabric,
                                    Changes changes = {});

[[nodiscard]] std::vector<std::string> server_presets();
[[nodiscard]] ServerSpec server_preset(const std::string& name);

// Bandwidth, one direction, between the first half of the servers (by node order) and the rest: a
// maximum flow in which a server's inside is no limit but its NICs' PCIe ports are. Of one server:
// between the halves of its GPUs, over NVLink alone if that joins them all. An odd one out is in
// the second half. 0 with a single GPU.
[[nodiscard]] BytesPerSecond bisection_bandwidth(const Cluster& cluster);

}  // namespace stepcast

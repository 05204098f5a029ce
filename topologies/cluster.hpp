#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/json_node.hpp"
#include "common/units.hpp"
#include "topologies/topology.hpp"

namespace stepcast {

enum class FabricKind { single_switch, leaf_spine, rail_optimized, three_level_fat_tree };

struct FabricSpec {
  FabricKind kind = FabricKind::rail_optimized;
  double oversubscription = 1.0;     // downlink over uplink bandwidth of a leaf
  std::int64_t nodes_per_leaf = 32;  // servers (or rails of servers) below one leaf group
  std::int64_t leaves_per_pod = 8;   // three-level fat tree only
  Seconds hop_latency;               // one switch and its cable
};

// One server as its data sheet says; rates are per direction.
struct ServerSpec {
  std::string name;
  std::string gpu;  // also the default profile's name: "h100-sxm"
  std::int64_t gpus = 8;
  std::int64_t nvlink_domain_gpus = 8;  // 72 in an NVL72 rack; 1 without NVLink
  BytesPerSecond nvlink_bandwidth;      // one GPU to its switches
  Seconds nvlink_latency;
  BytesPerSecond pcie_bandwidth;  // one x16 port
  Seconds pcie_latency;
  std::int64_t nics = 8;
  BytesPerSecond nic_bandwidth;  // one NIC
  Bytes gpu_memory;              // what the driver reports as total
  std::string cpu;               // "intel", "amd" or "arm": NCCL's overhead constants differ
  std::vector<std::string> sources;
};

struct Cluster {
  std::string name;  // "dgx-h100:8"
  ServerSpec server;
  std::int64_t nodes = 1;
  FabricSpec fabric;
  Topology topology;
  std::vector<std::string> warnings;
};

// "dgx-h100:8" (server preset : nodes), or the path of a stepcast.topology document.
// Throws InputError or EnvironmentError.
[[nodiscard]] Cluster load_cluster(const std::string& name_or_path);
// A string as above, or an object {server, nodes, fabric, overrides}. Problems go to the node's
// reader; on problems the returned cluster is a harmless one-GPU one.
[[nodiscard]] Cluster parse_cluster(const Node& node);
[[nodiscard]] Cluster build_cluster(ServerSpec server, std::int64_t nodes, FabricSpec fabric);

[[nodiscard]] std::vector<std::string> server_presets();
[[nodiscard]] ServerSpec server_preset(const std::string& name);

// Lower bound over balanced halvings of the servers (by node order) of the bandwidth between the
// halves, one direction.
[[nodiscard]] BytesPerSecond bisection_bandwidth(const Cluster& cluster);

}  // namespace stepcast

#include "sim/network/nccl_tuner.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace stepcast {
namespace {

using Json = nlohmann::json;

BytesPerSecond gigabytes(double rate) { return BytesPerSecond{rate * 1e9}; }

Json vector_named(const std::string& id) {
  const std::filesystem::path path =
      std::filesystem::path(STEPCAST_SOURCE_DIR) / "../shared/design/semantics_vectors.json";
  if (!std::filesystem::exists(path)) return nullptr;
  std::ifstream stream(path);
  const Json document = Json::parse(stream);
  for (const Json& vector : document["vectors"])
    if (vector["id"] == id) return vector;
  return nullptr;
}

const std::vector<std::pair<std::string, Protocol>> protocols{
    {"LL", Protocol::ll}, {"LL128", Protocol::ll128}, {"Simple", Protocol::simple}};

void expect_cost(const NcclCost& cost, const Json& expected, const std::string& what) {
  EXPECT_NEAR(cost.algorithm_bandwidth.value() / 1e9, expected["algbw_GBps"], 1e-9) << what;
  EXPECT_NEAR(cost.latency.value() * 1e6, expected["latency_us"], 1e-9) << what;
}

// Vectors fix the limits themselves; the table gives the rest.
NcclLimits limits_with_ll(std::int64_t nodes, double ll_GBps) {
  NcclLimits limits = nccl_limits(NcclArchitecture::hopper, "intel", nodes);
  limits.ll = gigabytes(ll_GBps);
  return limits;
}

const NcclLatencies plain{.network_overhead = microseconds(1.0),
                          .extra_domain_latency = Seconds{},
                          .extra_network_latency = Seconds{}};

TEST(NcclTuner, RingInOneNodeMatchesTheVector) {
  const Json vector = vector_named("nccl/ring_ar_8ranks_1node_hopper");
  if (vector.is_null()) GTEST_SKIP() << "semantics_vectors.json is absent";
  const NcclGraph graph{.ranks = 8, .nodes = 1, .channels = 24, .channel_bandwidth = gigabytes(20)};
  for (const auto& [name, protocol] : protocols) {
    const Json expected = vector["expected"][name];
    const NcclCost cost =
        nccl_ring(CollectiveOp::all_reduce, protocol, graph, limits_with_ll(1, 141), plain);
    expect_cost(cost, expected, name);
    for (const auto& [bytes, time] : expected["time_us"].items())
      EXPECT_NEAR((cost.latency + Bytes{std::stod(bytes)} / cost.algorithm_bandwidth).value() * 1e6,
                  time, 1e-6)
          << name << " " << bytes;
  }
}

TEST(NcclTuner, RingOverFourNodesMatchesTheVector) {
  const Json vector = vector_named("nccl/ring_ar_32ranks_4nodes");
  if (vector.is_null()) GTEST_SKIP() << "semantics_vectors.json is absent";
  const NcclGraph graph{
      .ranks = 32, .nodes = 4, .channels = 16, .channel_bandwidth = gigabytes(20)};
  for (const auto& [name, protocol] : protocols)
    expect_cost(nccl_ring(CollectiveOp::all_reduce, protocol, graph, limits_with_ll(4, 19), plain),
                vector["expected"][name], name);
  const NcclCost simple =
      nccl_ring(CollectiveOp::all_reduce, Protocol::simple, graph, limits_with_ll(4, 19), plain);
  const double plateau =
      nccl_ring_plateau(CollectiveOp::all_reduce, Protocol::simple, graph, Bytes{64 * 16 * 32});
  EXPECT_NEAR(simple.latency.value() * plateau * 1e6,
              vector["expected"]["Simple"]["plateau_latency_us_x1.4"], 1e-9);
}

TEST(NcclTuner, TreeOverFourNodesMatchesTheVector) {
  const Json vector = vector_named("nccl/tree_ar_32ranks_4nodes_hopper");
  if (vector.is_null()) GTEST_SKIP() << "semantics_vectors.json is absent";
  const NcclGraph graph{
      .ranks = 32, .nodes = 4, .channels = 16, .channel_bandwidth = gigabytes(20)};
  for (const auto& [name, protocol] : protocols)
    expect_cost(nccl_tree(protocol, graph, limits_with_ll(4, 19), plain), vector["expected"][name],
                name);
}

TEST(NcclTuner, GatherAndScatterTakeHalfTheStepsOfAnAllReduce) {
  const NcclGraph graph{.ranks = 8, .nodes = 1, .channels = 24, .channel_bandwidth = gigabytes(20)};
  const NcclLimits limits = nccl_limits(NcclArchitecture::hopper, "intel", 1);
  // 8.4 + 7 * 3.4 us; 480 GB/s * 8 / 7.
  const NcclCost gather =
      nccl_ring(CollectiveOp::all_gather, Protocol::simple, graph, limits, plain);
  EXPECT_NEAR(gather.latency.value() * 1e6, 8.4 + 7 * 3.4, 1e-9);
  EXPECT_NEAR(gather.algorithm_bandwidth.value() / 1e9, 480.0 * 8 / 7, 1e-9);
}

TEST(NcclTuner, ABroadcastStreamsThroughTheRing) {
  const NcclGraph graph{.ranks = 8, .nodes = 1, .channels = 24, .channel_bandwidth = gigabytes(20)};
  const NcclCost cost = nccl_ring(CollectiveOp::broadcast, Protocol::simple, graph,
                                  nccl_limits(NcclArchitecture::hopper, "intel", 1), plain);
  EXPECT_NEAR(cost.latency.value() * 1e6, 8.4 + 3.4, 1e-9);
  EXPECT_NEAR(cost.algorithm_bandwidth.value() / 1e9, 480.0, 1e-9);
}

TEST(NcclTuner, OneRankANodePaysTheTreesNetworkHop) {
  // LL: 6.6 + 2 * 3 steps of 5.0 us, all over the network.
  const NcclGraph graph{.ranks = 4, .nodes = 4, .channels = 16, .channel_bandwidth = gigabytes(3)};
  const NcclCost cost = nccl_ring(CollectiveOp::all_reduce, Protocol::ll, graph,
                                  nccl_limits(NcclArchitecture::hopper, "intel", 4), plain);
  EXPECT_NEAR(cost.latency.value() * 1e6, 6.6 + 6 * 5.0, 1e-9);
}

TEST(NcclTuner, LongerPathsAddToEveryHop) {
  // Simple flushes: the extra latency counts twice. 6 network steps of a 4-node ring.
  const NcclGraph graph{
      .ranks = 32, .nodes = 4, .channels = 16, .channel_bandwidth = gigabytes(20)};
  NcclLatencies longer = plain;
  longer.extra_network_latency = microseconds(1.0);
  const NcclLimits limits = nccl_limits(NcclArchitecture::hopper, "intel", 4);
  const auto latency = [&](Protocol protocol, const NcclLatencies& latencies) {
    return nccl_ring(CollectiveOp::all_reduce, protocol, graph, limits, latencies).latency.value();
  };
  EXPECT_NEAR(latency(Protocol::ll, longer) - latency(Protocol::ll, plain), 6e-6, 1e-12);
  EXPECT_NEAR(latency(Protocol::simple, longer) - latency(Protocol::simple, plain), 12e-6, 1e-12);
}

TEST(NcclTuner, NvlsLatencyGrowsWithTheLogarithmOfDomains) {
  EXPECT_NEAR(nccl_nvls_latency(1, plain).value() * 1e6, 25.0, 1e-9);
  EXPECT_NEAR(nccl_nvls_latency(8, plain).value() * 1e6, 25.0 + 6 * 20.9, 1e-9);
}

TEST(NcclTuner, AmdHostsPostMoreSlowly) {
  EXPECT_EQ(nccl_network_overhead("intel"), microseconds(1.0));
  EXPECT_EQ(nccl_network_overhead("amd"), microseconds(2.0));
  EXPECT_EQ(nccl_limits(NcclArchitecture::hopper, "amd", 4).ll, gigabytes(19.0));
  EXPECT_EQ(nccl_limits(NcclArchitecture::hopper, "intel", 4).ll, gigabytes(20.4));
}

TEST(NcclTuner, ArchitectureFollowsComputeCapability) {
  EXPECT_EQ(nccl_architecture(7.0), NcclArchitecture::volta);
  EXPECT_EQ(nccl_architecture(8.0), NcclArchitecture::ampere);
  EXPECT_EQ(nccl_architecture(9.0), NcclArchitecture::hopper);
  EXPECT_EQ(nccl_architecture(10.0), NcclArchitecture::blackwell);
}

TEST(NcclTuner, TreeCorrectionIsNcclsAtPowersOfTwo) {
  EXPECT_DOUBLE_EQ(nccl_tree_correction(Protocol::ll, Bytes{64 << 12}), 0.4);      // 256 KiB
  EXPECT_DOUBLE_EQ(nccl_tree_correction(Protocol::simple, Bytes{64 << 11}), 0.5);  // 128 KiB
  EXPECT_DOUBLE_EQ(nccl_tree_correction(Protocol::ll, Bytes{8}), 1.0);
  EXPECT_DOUBLE_EQ(nccl_tree_correction(Protocol::simple, Bytes{1e12}), 1.0);
}

TEST(NcclTuner, TreeTimeNeverFallsWithSize) {
  for (const auto& [name, protocol] : protocols) {
    double before = 0.0;
    for (double size = 64; size < 1e10; size *= 1.05) {
      const double time = size / nccl_tree_correction(protocol, Bytes{size});
      EXPECT_GE(time, before) << name << " " << size;
      before = time;
    }
  }
}

}  // namespace
}  // namespace stepcast

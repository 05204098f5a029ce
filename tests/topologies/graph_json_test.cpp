#include "topologies/graph_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/topologies/cluster_fixtures.hpp"

namespace stepcast {
namespace {

using Json = nlohmann::json;
using testing::ElementsAre;
using testing::IsEmpty;

Json vertex(const char* name, const char* kind, int node = 0) {
  return {{"name", name}, {"kind", kind}, {"node", node}};
}

Json link(const char* from, const char* to, const char* tier, double gb, double us) {
  return {{"from", from}, {"to", to}, {"tier", tier}, {"bandwidth_GBps", gb}, {"latency_us", us}};
}

// Two servers of two GPUs with NVLink and one NIC each, on one leaf.
Json two_servers() {
  Json json{{"vertices", {vertex("leaf", "leaf")}}, {"links", Json::array()}};
  for (const int node : {0, 1}) {
    const std::string n = std::to_string(node);
    const auto name = [&](const char* text) { return text + n; };
    for (const auto& [text, kind] : {std::pair("a", "gpu"),
                                     {"b", "gpu"},
                                     {"sw", "nvswitch"},
                                     {"pcie", "pcie_switch"},
                                     {"nic", "nic"}})
      json["vertices"].push_back(vertex(name(text).c_str(), kind, node));
    for (const char* gpu : {"a", "b"}) {
      json["links"].push_back(link(name(gpu).c_str(), name("sw").c_str(), "nvlink", 450, 0.3));
      json["links"].push_back(link(name(gpu).c_str(), name("pcie").c_str(), "pcie", 63, 0.5));
    }
    json["links"].push_back(link(name("nic").c_str(), name("pcie").c_str(), "pcie", 63, 0.5));
    json["links"].push_back(link(name("nic").c_str(), "leaf", "nic", 50, 0.35));
  }
  return json;
}

struct Read {
  std::optional<Cluster> cluster;
  std::vector<std::string> problems;
};

Read read(const Json& json) {
  const JsonReader reader("g.json", json);
  Read result;
  result.cluster = parse_graph(reader.root(), test::toy_server());
  for (const Problem& problem : reader.problems())
    result.problems.push_back(problem.where + ": " + problem.message);
  return result;
}

TEST(ParseGraph, ReadsVerticesAndLinksBothWays) {
  const Read result = read(two_servers());
  ASSERT_THAT(result.problems, IsEmpty());
  const Topology& topology = result.cluster->topology;
  EXPECT_EQ(topology.gpu_count(), 4U);
  EXPECT_EQ(topology.links().size(), 24U);
  EXPECT_EQ(topology.route(GpuId{0}, GpuId{1}).size(), 2U);
  EXPECT_NEAR(topology.latency(GpuId{0}, GpuId{3}).value(), 4 * 0.5e-6 + 2 * 0.35e-6, 1e-15);
}

TEST(ParseGraph, DescribesItsServerByTheGraph) {
  const Read result = read(two_servers());
  const Cluster& cluster = *result.cluster;
  EXPECT_TRUE(cluster.explicit_graph);
  EXPECT_EQ(cluster.nodes, 2);
  EXPECT_EQ(cluster.server.gpus, 2);
  EXPECT_EQ(cluster.server.nics, 1);
  EXPECT_EQ(cluster.server.nvlink_domain_gpus, 2);
  EXPECT_EQ(cluster.server.nvlink_bandwidth, BytesPerSecond{450e9});
  EXPECT_EQ(cluster.server.pcie_bandwidth, BytesPerSecond{63e9});
  EXPECT_EQ(cluster.server.nic_bandwidth, BytesPerSecond{50e9});
}

TEST(ParseGraph, TakesOneWayLinks) {
  Json json{{"vertices", {vertex("a", "gpu"), vertex("b", "gpu")}},
            {"links", {link("a", "b", "nvlink", 1, 1), link("b", "a", "nvlink", 2, 1)}}};
  json["links"][0]["bidirectional"] = false;
  json["links"][1]["bidirectional"] = false;
  const Read result = read(json);
  ASSERT_THAT(result.problems, IsEmpty());
  EXPECT_EQ(result.cluster->topology.links().size(), 2U);
  EXPECT_EQ(result.cluster->topology.links()[1].bandwidth, BytesPerSecond{2e9});
}

TEST(ParseGraph, JoinsOneNvlinkDomainAcrossServers) {
  const Json json{
      {"vertices", {vertex("a", "gpu", 0), vertex("b", "gpu", 1), vertex("s", "nvswitch", 0)}},
      {"links", {link("a", "s", "nvlink", 900, 0.3), link("b", "s", "nvlink", 900, 0.3)}}};
  const Read result = read(json);
  ASSERT_THAT(result.problems, IsEmpty());
  EXPECT_EQ(result.cluster->topology.nvlink_domain_of(GpuId{1}), 0U);
  EXPECT_EQ(result.cluster->topology.route(GpuId{0}, GpuId{1}).size(), 2U);
}

TEST(GraphJson, IsReadBackAsTheSameGraph) {
  const Cluster cluster =
      build_cluster(test::toy_server(), 4, test::toy_fabric(FabricKind::rail_optimized),
                    Changes{.slow_links = {{LinkTier::nic, 1, 1, 0.5}}});
  const Json written = graph_json(cluster.topology);
  const Read result = read(written);
  ASSERT_THAT(result.problems, IsEmpty());
  EXPECT_EQ(graph_json(result.cluster->topology), written);
  EXPECT_EQ(test::route_text(result.cluster->topology, 0, 13),
            test::route_text(cluster.topology, 0, 13));
}

TEST(ParseGraph, SaysWhatIsWrongWithVertices) {
  EXPECT_THAT(read({{"vertices", Json::array()}, {"links", Json::array()}}).problems,
              ElementsAre("vertices: need a vertex of kind gpu"));
  EXPECT_THAT(read({{"links", Json::array()}}).problems, ElementsAre("vertices: missing"));
  EXPECT_THAT(
      read({{"vertices", {vertex("a", "gpu"), vertex("a", "gpus"), vertex("b", "gpu", -1)}},
            {"links", Json::array()}})
          .problems,
      ElementsAre("vertices[1].kind: must be one of gpu, nvswitch, pcie_switch, cpu, nic, "
                  "leaf, spine, core, found \"gpus\" (did you mean \"gpu\"?)",
                  "vertices[1].name: \"a\" is already taken by another vertex",
                  "vertices[2].node: must be a whole number within 0 and 262143, found -1"));
}

TEST(ParseGraph, SaysWhatIsWrongWithLinks) {
  const auto problems = [](const Json& wrong) {
    Json json = two_servers();
    json["links"].push_back(wrong);
    return read(json).problems;
  };
  const std::string at = "links[12]";
  EXPECT_THAT(problems(link("a9", "sw0", "nvlink", 1, 1)),
              ElementsAre(at + ".from: no vertex \"a9\" (did you mean \"a0\"?)"));
  EXPECT_THAT(problems(link("a0", "a0", "nvlink", 1, 1)),
              ElementsAre(at + ".to: must be another vertex than from"));
  EXPECT_THAT(problems(link("a0", "sw0", "nvlink", 0, 1)),
              ElementsAre(at + ".bandwidth_GBps: must be > 0, found 0.0"));
  EXPECT_THAT(problems(link("a0", "sw0", "nvlink", 1, -1)),
              ElementsAre(at + ".latency_us: must be >= 0, found -1.0"));
  EXPECT_THAT(problems({{"from", "a0"}, {"to", "sw0"}}),
              ElementsAre(at + ".tier: missing", at + ".bandwidth_GBps: missing",
                          at + ".latency_us: missing"));
  EXPECT_THAT(
      problems(link("a0", "nic0", "nvlink", 1, 1)),
      ElementsAre(at +
                  ".tier: nvlink joins gpu and nvswitch vertices, found a0 (gpu) to nic0 (nic)"));
  EXPECT_THAT(problems(link("pcie0", "pcie1", "pcie", 1, 1)),
              ElementsAre(at + ".tier: pcie stays inside one node, found pcie0 (pcie_switch) to "
                               "pcie1 (pcie_switch)"));
  EXPECT_THAT(
      problems(link("a0", "leaf", "nic", 1, 1)),
      ElementsAre(at + ".tier: nic joins a nic to a leaf, spine or core, or to another nic, "
                       "found a0 (gpu) to leaf (leaf)"));
  EXPECT_THAT(problems(link("nic0", "leaf", "spine", 1, 1)),
              ElementsAre(at + ".tier: spine joins leaf, spine and core vertices, found nic0 (nic) "
                               "to leaf (leaf)"));
}

TEST(ParseGraph, SaysWhichGpusCannotReachEachOther) {
  EXPECT_THAT(
      read({{"vertices", {vertex("a", "gpu"), vertex("b", "gpu")}}, {"links", Json::array()}})
          .problems,
      ElementsAre("links: no path from node0.gpu0 to node0.gpu1"));
  Json one_way = link("a", "b", "nvlink", 1, 1);
  one_way["bidirectional"] = false;
  EXPECT_THAT(
      read({{"vertices", {vertex("a", "gpu"), vertex("b", "gpu")}}, {"links", {one_way}}}).problems,
      ElementsAre("links: no path from node0.gpu1 to node0.gpu0"));
}

}  // namespace
}  // namespace stepcast

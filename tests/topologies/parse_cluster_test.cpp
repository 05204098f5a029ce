#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/topologies/cluster_fixtures.hpp"

namespace stepcast {
namespace {

using Json = nlohmann::json;
using testing::ElementsAre;
using testing::IsEmpty;

struct Read {
  std::optional<Cluster> cluster;
  std::vector<std::string> problems;
};

// As the "cluster" of a run.
Read read(const Json& cluster) {
  const JsonReader reader("run.json", Json{{"cluster", cluster}});
  Read result;
  result.cluster = parse_cluster(reader.root().at("cluster"));
  for (const Problem& problem : reader.problems()) result.problems.push_back(to_string(problem));
  return result;
}

std::string load_error(const std::string& name) {
  try {
    (void)load_cluster(name);
  } catch (const InputError& error) {
    return error.what();
  } catch (const EnvironmentError& error) {
    return error.what();
  }
  return "";
}

class ClusterFile : public testing::Test {
 protected:
  ClusterFile() { std::filesystem::create_directories(folder_); }
  ~ClusterFile() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() /
      ("stepcast-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
};

TEST(LoadCluster, TakesAPresetAndANumberOfServers) {
  EXPECT_EQ(load_cluster("dgx-h100:8").nodes, 8);
  EXPECT_EQ(load_cluster("dgx-h100").nodes, 1);
  EXPECT_EQ(load_cluster("gb200-nvl72:2").topology.gpu_count(), 144U);
}

TEST(LoadCluster, BuildsTheFabricThatIsUsualForTheServer) {
  EXPECT_EQ(load_cluster("dgx-a100:40").fabric.nodes_per_leaf, 20);
  EXPECT_EQ(load_cluster("dgx-h100:40").fabric.nodes_per_leaf, 32);
}

TEST(LoadCluster, SaysWhatIsWrongWithAName) {
  const std::vector<std::pair<const char*, const char*>> table{
      {"dgx-h10", "--cluster: no server preset \"dgx-h10\" (did you mean \"dgx-h100\"?)"},
      {"DGX-H100:8", "--cluster: no server preset \"DGX-H100\" (did you mean \"dgx-h100\"?)"},
      {"",
       "--cluster: no server preset \"\" (there are cpu-host, dgx-a100-40gb, dgx-a100, "
       "dgx-b200, dgx-h100, dgx-h200, gb200-nvl72)"},
      {"dgx-h100:x",
       "--cluster: the number of servers must be a whole number >= 1 as in "
       "\"dgx-h100:8\", found \"x\""},
      {"dgx-h100:",
       "--cluster: the number of servers must be a whole number >= 1 as in "
       "\"dgx-h100:8\", found \"\""},
      {"dgx-h100:0",
       "--cluster: the number of servers must be a whole number >= 1 as in "
       "\"dgx-h100:8\", found \"0\""},
      {"dgx-h100:-2",
       "--cluster: the number of servers must be a whole number >= 1 as in "
       "\"dgx-h100:8\", found \"-2\""},
      {"dgx-h100:2.5",
       "--cluster: the number of servers must be a whole number >= 1 as in "
       "\"dgx-h100:8\", found \"2.5\""},
      {"dgx-h100:8:2",
       "--cluster: the number of servers must be a whole number >= 1 as in "
       "\"dgx-h100:8\", found \"8:2\""},
      {"dgx-h100:99999999999999999999",
       "--cluster: the number of servers must be a whole number >= 1 as in \"dgx-h100:8\", found "
       "\"99999999999999999999\""},
      {"dgx-h100:40000",
       "--cluster: the number of dgx-h100 servers must be at most 32768 (262144 "
       "GPUs), found 40000"},
      {"./none.json", "cannot read ./none.json: No such file or directory"},
  };
  for (const auto& [name, message] : table) EXPECT_EQ(load_error(name), message);
}

TEST_F(ClusterFile, IsReadByItsPath) {
  const std::string path = write("pod.json", R"({"format": "stepcast.topology", "version": 1,
      "server": "dgx-h100", "nodes": 3, "name": "my pod"})");
  const Cluster cluster = load_cluster(path);
  EXPECT_EQ(cluster.name, "my pod");
  EXPECT_EQ(cluster.topology.gpu_count(), 24U);
}

TEST_F(ClusterFile, ReportsAllProblemsAtOnceWithItsName) {
  const std::string path = write("pod.json", R"({"format": "stepcast.topology", "version": 1,
      "server": "dgx-h10", "nodes": 0, "fabrik": {}})");
  EXPECT_EQ(load_error(path),
            path + ": server: no server preset \"dgx-h10\" (did you mean \"dgx-h100\"?)\n" + path +
                ": nodes: must be a whole number >= 1, found 0\n" + path +
                ": fabrik: unknown key (did you mean \"fabric\"?)");
}

TEST_F(ClusterFile, MustBeATopology) {
  const std::string other = write("run.json", R"({"format": "stepcast.run", "version": 1})");
  EXPECT_EQ(load_error(other), other +
                                   ": format: must be \"stepcast.topology\", found "
                                   "\"stepcast.run\"");
  const std::string list = write("list.json", "[]");
  EXPECT_EQ(load_error(list), list + ": must be a stepcast.topology object");
  const std::string bare = write("bare.json", R"({"server": "dgx-h100"})");
  EXPECT_EQ(load_error(bare), bare + ": format: missing\n" + bare + ": version: missing");
}

TEST_F(ClusterFile, IsFoundBesideTheRunThatNamesIt) {
  write("pod.json", R"({"format": "stepcast.topology", "version": 1, "server": "dgx-h100"})");
  const JsonReader reader((folder_ / "run.json").string(), Json{{"cluster", "pod.json"}});
  EXPECT_EQ(parse_cluster(reader.root().at("cluster")).topology.gpu_count(), 8U);
  EXPECT_THAT(reader.problems(), IsEmpty());
}

TEST_F(ClusterFile, ReportsItsProblemsWithinTheRun) {
  const std::string path = write("pod.json", R"({"format": "stepcast.topology", "version": 1,
      "server": "dgx-h100", "nodes": 0})");
  EXPECT_THAT(read(path).problems, ElementsAre("run.json: cluster: " + path +
                                               ": nodes: must be a whole number >= 1, found 0"));
}

TEST(ParseCluster, TakesAName) {
  EXPECT_EQ(read("dgx-h200:2").cluster->topology.gpu_count(), 16U);
  EXPECT_THAT(read("dgx-h10:2").problems,
              ElementsAre("run.json: cluster: no server preset \"dgx-h10\" (did you mean "
                          "\"dgx-h100\"?)"));
}

TEST(ParseCluster, TakesNodesOrGpusOrBoth) {
  EXPECT_EQ(read({{"server", "dgx-h100"}, {"nodes", 3}}).cluster->topology.gpu_count(), 24U);
  EXPECT_EQ(read({{"server", "dgx-h100"}}).cluster->topology.gpu_count(), 8U);

  const Read part = read({{"server", "dgx-h100"}, {"gpus", 20}});
  EXPECT_THAT(part.problems, IsEmpty());
  EXPECT_EQ(part.cluster->nodes, 3);
  EXPECT_EQ(part.cluster->topology.gpu_count(), 20U);
  EXPECT_EQ(part.cluster->name, "dgx-h100:3 (20 GPUs)");

  const Read rack = read({{"server", "gb200-nvl72"}, {"gpus", 8}});
  EXPECT_EQ(rack.cluster->nodes, 1);
  EXPECT_EQ(rack.cluster->topology.gpu_count(), 8U);

  EXPECT_EQ(read({{"server", "dgx-h100"}, {"nodes", 2}, {"gpus", 16}}).cluster->name, "dgx-h100:2");
}

TEST(ParseCluster, TakesAServerOfItsOwn) {
  const Read result = read({{"server",
                             {{"name", "box"},
                              {"gpu", "a100-sxm-40gb"},
                              {"gpus", 4},
                              {"nvlink_domain_gpus", 4},
                              {"nvlink_bandwidth_GBps", 300},
                              {"pcie_bandwidth_GBps", 31.5},
                              {"nics", 1},
                              {"nic_bandwidth_GBps", 12.5},
                              {"gpu_memory_GiB", 39.39}}},
                            {"nodes", 2}});
  EXPECT_THAT(result.problems, IsEmpty());
  EXPECT_EQ(result.cluster->name, "box:2");
  EXPECT_EQ(test::count(result.cluster->topology, VertexKind::nic), 2);
}

TEST(ParseCluster, AppliesOverridesBeforeTheFabric) {
  // Jean Zay's quarter: 4 NICs instead of 8, half of 64 ports down: 8 servers below a leaf.
  const Read result = read({{"server", "dgx-a100"},
                            {"nodes", 16},
                            {"fabric", {{"kind", "leaf_spine"}, {"switch_ports", 64}}},
                            {"overrides", {{"nics", 4}}}});
  EXPECT_THAT(result.problems, IsEmpty());
  EXPECT_EQ(result.cluster->fabric.nodes_per_leaf, 8);
  EXPECT_EQ(test::count(result.cluster->topology, VertexKind::leaf), 2);
  EXPECT_EQ(result.cluster->name, "dgx-a100:16 with overrides");
}

TEST(ParseCluster, ReadsAnExplicitGraph) {
  const Read result =
      read({{"server", "dgx-h100"},
            {"name", "pair"},
            {"vertices", {{{"name", "a"}, {"kind", "gpu"}}, {{"name", "b"}, {"kind", "gpu"}}}},
            {"links",
             {{{"from", "a"},
               {"to", "b"},
               {"tier", "nvlink"},
               {"bandwidth_GBps", 100},
               {"latency_us", 1}}}}});
  EXPECT_THAT(result.problems, IsEmpty());
  EXPECT_EQ(result.cluster->name, "pair");
  EXPECT_EQ(result.cluster->topology.gpu_count(), 2U);
  EXPECT_EQ(result.cluster->server.gpu, "h100-sxm");
}

TEST(ParseCluster, IsHarmlessAfterProblems) {
  const Read result = read({{"server", "dgx-h10"}, {"nodes", 1000}});
  EXPECT_EQ(result.cluster->server.gpus, 1);
}

struct Wrong {
  Json cluster;
  std::vector<const char*> messages;
};

TEST(ParseCluster, SaysWhatIsWrong) {
  const std::vector<Wrong> table{
      {8,
       {"must be a server preset with a number of servers as in \"dgx-h100:8\", a path, or an "
        "object"}},
      {Json::object(), {"server: missing"}},
      {{{"server", 5}}, {"server: must be text, found 5"}},
      {{{"server", "dgx-h100"}, {"nodes", 0}}, {"nodes: must be a whole number >= 1, found 0"}},
      {{{"server", "dgx-h100"}, {"nodes", 1.5}}, {"nodes: must be a whole number >= 1, found 1.5"}},
      {{{"server", "dgx-h100"}, {"nodes", 50000}},
       {"nodes: must be at most 32768 (262144 GPUs), found 50000"}},
      {{{"server", "dgx-h100"}, {"nodes", 2}, {"gpus", 17}},
       {"gpus: must be at most the 16 GPUs of 2 servers, found 17"}},
      {{{"server", "dgx-h100"}, {"gpus", 300000}}, {"gpus: must be at most 262144, found 300000"}},
      {{{"server", "dgx-h100"}, {"node", 2}}, {"node: unknown key (did you mean \"nodes\"?)"}},
      {{{"server", "dgx-h100"}, {"fabric", {{"kind", "torus"}}}},
       {"fabric.kind: must be one of single_switch, leaf_spine, rail_optimized, "
        "three_level_fat_tree, found \"torus\""}},
      {{{"server", "dgx-h100"}, {"nodes", 2}, {"overrides", {{"nic_bandwidth_GBps", 0}}}},
       {"overrides.nic_bandwidth_GBps: must be > 0, found 0"}},
      {{{"server", "dgx-h100"}, {"nodes", 2}, {"overrides", {{"dead_nodes", {2}}}}},
       {"overrides.dead_nodes[0]: must be one of the 2 servers, 0 to 1, found 2"}},
      {{{"server", "dgx-h100"}, {"nodes", 2}, {"overrides", {{"dead_nodes", {1}}}}, {"gpus", 9}},
       {"gpus: must be at most the 8 GPUs of 1 servers, found 9"}},
      {{{"server", "dgx-h100"},
        {"nodes", 2},
        {"overrides", {{"slow_links", {{{"tier", "nic"}, {"node", 1}, {"factor", 0}}}}}}},
       {"overrides.slow_links: leave no path from node0.gpu0 to node1.gpu0"}},
      {{{"server", "dgx-h100"},
        {"nodes", 2},
        {"overrides",
         {{"dead_nodes", {1}}, {"slow_links", {{{"tier", "nic"}, {"node", 1}, {"factor", 1}}}}}}},
       {"overrides: a slow link names no link of the cluster"}},
      {{{"server", "dgx-h100"}, {"vertices", Json::array()}},
       {"links: missing", "vertices: need a vertex of kind gpu"}},
  };
  for (const Wrong& wrong : table) {
    const Read result = read(wrong.cluster);
    std::vector<std::string> expected;
    for (const char* message : wrong.messages)
      expected.push_back(wrong.cluster.is_object() ? std::string("run.json: cluster.") + message
                                                   : std::string("run.json: cluster: ") + message);
    EXPECT_EQ(result.problems, expected) << wrong.cluster;
    EXPECT_TRUE(result.cluster.has_value());
  }
}

TEST(ParseCluster, RefusesSeveralServersWithoutNics) {
  const Read result = read({{"server",
                             {{"name", "box"},
                              {"gpu", "h100-sxm"},
                              {"gpus", 4},
                              {"nvlink_domain_gpus", 1},
                              {"pcie_bandwidth_GBps", 31.5},
                              {"gpu_memory_GiB", 79}}},
                            {"nodes", 2}});
  EXPECT_THAT(result.problems,
              ElementsAre("run.json: cluster.nodes: must be 1 for a server without NICs, found 2"));
}

}  // namespace
}  // namespace stepcast

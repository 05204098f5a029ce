#include "topologies/server_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/topologies/cluster_fixtures.hpp"

namespace stepcast {
namespace {

using Json = nlohmann::json;
using testing::ElementsAre;
using testing::IsEmpty;

Json smallest() {
  return {{"name", "mine"},          {"gpu", "h100-sxm"},         {"gpus", 4},
          {"nvlink_domain_gpus", 1}, {"pcie_bandwidth_GBps", 16}, {"gpu_memory_GiB", 80}};
}

std::vector<std::string> problems_of(const Json& json) {
  const JsonReader reader("s.json", json);
  (void)parse_server(reader.root());
  std::vector<std::string> problems;
  for (const Problem& problem : reader.problems()) problems.push_back(to_string(problem));
  return problems;
}

std::vector<std::string> problems_with(const std::string& key, const Json& value) {
  Json json = smallest();
  json[key] = value;
  return problems_of(json);
}

TEST(ParseServer, NeedsLittleForAServerWithoutNvlinkAndNics) {
  const JsonReader reader("s.json", smallest());
  const ServerSpec server = parse_server(reader.root());
  EXPECT_THAT(reader.problems(), IsEmpty());
  EXPECT_EQ(server.pcie_bandwidth, BytesPerSecond{16e9});
  EXPECT_EQ(server.gpu_memory, Bytes{80.0 * 1073741824.0});
  EXPECT_EQ(server.nics, 0);
}

TEST(ParseServer, ReadsBackEveryPresetAsWritten) {
  for (const std::string& name : server_presets()) {
    const Json written = to_json(server_preset(name));
    const JsonReader reader("s.json", written);
    EXPECT_EQ(to_json(parse_server(reader.root())), written) << name;
    EXPECT_THAT(reader.problems(), IsEmpty()) << name;
  }
}

TEST(ParseServer, SaysWhatIsMissing) {
  EXPECT_THAT(
      problems_of(Json::object()),
      ElementsAre("s.json: name: missing", "s.json: gpu: missing", "s.json: gpus: missing",
                  "s.json: nvlink_domain_gpus: missing", "s.json: pcie_bandwidth_GBps: missing",
                  "s.json: gpu_memory_GiB: missing"));
  EXPECT_THAT(problems_with("nvlink_domain_gpus", 4),
              ElementsAre("s.json: nvlink_bandwidth_GBps: missing"));
  EXPECT_THAT(problems_with("nics", 2), ElementsAre("s.json: nic_bandwidth_GBps: missing"));
}

struct Wrong {
  const char* key;
  Json value;
  const char* message;
};

TEST(ParseServer, SaysWhatIsWrong) {
  const std::vector<Wrong> table{
      {"gpus", 0, "gpus: must be a whole number >= 1, found 0"},
      {"gpus", 300000, "gpus: must be at most 262144, found 300000"},
      {"nvlink_domain_gpus", 3, "nvlink_domain_gpus: must divide the 4 gpus, found 3"},
      {"pcie_bandwidth_GBps", 0, "pcie_bandwidth_GBps: must be > 0, found 0"},
      {"pcie_bandwidth_GBps", 2e6,
       "pcie_bandwidth_GBps: must be within 1e-06 and 1e+06, found 2000000.0"},
      {"pcie_latency_us", -1, "pcie_latency_us: must be >= 0, found -1"},
      {"pcie_latency_us", 1e7, "pcie_latency_us: must be within 0 and 1e+06, found 10000000.0"},
      {"nics", -1, "nics: must be a whole number >= 0, found -1"},
      {"nics", 1000, "nics: must be at most 256, found 1000"},
      {"cpu", "risc", "cpu: must be one of intel, amd, arm, found \"risc\""},
      {"gpu_memory_GiB", 1e7, "gpu_memory_GiB: must be at most 931323, found 10000000.0"},
      {"format", "stepcast.run", "format: must be \"stepcast.server\", found \"stepcast.run\""},
      {"version", 2, "version: must be 1, found 2"},
      {"nicks", 8, "nicks: unknown key (did you mean \"nics\"?)"},
  };
  for (const Wrong& wrong : table) {
    const auto problems = problems_with(wrong.key, wrong.value);
    EXPECT_THAT(problems, testing::Contains("s.json: " + std::string(wrong.message))) << wrong.key;
  }
}

TEST(ParseServer, RailsDivideTheNics) {
  Json json = smallest();
  json.update({{"nics", 4}, {"rails", 3}, {"nic_bandwidth_GBps", 1}});
  EXPECT_THAT(problems_of(json), ElementsAre("s.json: rails: must divide the 4 nics, found 3"));
}

FabricSpec fabric_of(const Json& json, const ServerSpec& server, std::vector<Problem>& problems) {
  const JsonReader reader("f.json", json);
  const FabricSpec fabric = parse_fabric(reader.root(), server);
  problems = reader.problems();
  return fabric;
}

TEST(ParseFabric, TakesTheRestFromWhatIsUsualForTheServer) {
  std::vector<Problem> problems;
  const FabricSpec fabric =
      fabric_of({{"oversubscription", 2}}, server_preset("dgx-a100"), problems);
  EXPECT_THAT(problems, IsEmpty());
  EXPECT_EQ(fabric.kind, FabricKind::rail_optimized);
  EXPECT_EQ(fabric.nodes_per_leaf, 20);
  EXPECT_EQ(fabric.oversubscription, 2.0);
}

TEST(ParseFabric, FillsALeafOfAnotherKindHalfDown) {
  // 64 ports, half of them down: 4 servers of 8 NICs.
  std::vector<Problem> problems;
  EXPECT_EQ(fabric_of({{"kind", "leaf_spine"}}, server_preset("dgx-h100"), problems).nodes_per_leaf,
            4);
  EXPECT_EQ(
      fabric_of({{"kind", "leaf_spine"}}, server_preset("gb200-nvl72"), problems).nodes_per_leaf,
      1);
}

TEST(ParseFabric, SaysWhatIsWrong) {
  std::vector<Problem> problems;
  (void)fabric_of({{"kind", "leafspine"},
                   {"oversubscription", 0},
                   {"nodes_per_leaf", 0},
                   {"hop_latency_us", -0.5},
                   {"ports", 64}},
                  test::toy_server(), problems);
  std::vector<std::string> texts;
  for (const Problem& problem : problems) texts.push_back(problem.where + ": " + problem.message);
  EXPECT_THAT(
      texts, ElementsAre("kind: must be one of single_switch, leaf_spine, rail_optimized, "
                         "three_level_fat_tree, found \"leafspine\" (did you mean \"leaf_spine\"?)",
                         "nodes_per_leaf: must be a whole number >= 1, found 0",
                         "oversubscription: must be within 0.1 and 1000, found 0",
                         "hop_latency_us: must be >= 0, found -0.5",
                         "ports: unknown key (known keys: hop_latency_us, kind, leaves_per_pod, "
                         "nodes_per_leaf, oversubscription, switch_ports)"));
}

TEST(ServerJson, WritesUnitsAsPeopleReadThem) {
  EXPECT_EQ(gigabytes_per_second(BytesPerSecond{31.5e9}), 31.5);
  EXPECT_EQ(in_microseconds(microseconds(0.35)), 0.35);
}

TEST(NoServerPreset, NamesTheNearestOrAll) {
  EXPECT_EQ(no_server_preset("dgx-h10"),
            "no server preset \"dgx-h10\" (did you mean \"dgx-h100\"?)");
  EXPECT_EQ(no_server_preset("?"),
            "no server preset \"?\" (there are cpu-host, dgx-a100-40gb, dgx-a100, dgx-b200, "
            "dgx-h100, dgx-h200, gb200-nvl72)");
}

}  // namespace
}  // namespace stepcast

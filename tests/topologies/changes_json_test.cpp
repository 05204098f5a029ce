#include "topologies/changes_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/topologies/cluster_fixtures.hpp"

namespace stepcast {
namespace {

using Json = nlohmann::json;
using testing::ElementsAre;
using testing::IsEmpty;

struct Read {
  ServerSpec server;
  Changes changes;
  std::vector<std::string> problems;
};

// Overrides of four toy servers on one leaf each, two spine switches.
Read read(const Json& json, ServerSpec server = test::toy_server(), std::int64_t nodes = 4) {
  const JsonReader reader("o.json", json);
  apply_server_overrides(reader.root(), server);
  Read result;
  result.changes =
      parse_changes(reader.root(), server, nodes, test::toy_fabric(FabricKind::leaf_spine, 1));
  reader.root().finish();
  for (const Problem& problem : reader.problems())
    result.problems.push_back(problem.where + ": " + problem.message);
  result.server = std::move(server);
  return result;
}

TEST(Overrides, ChangeEveryServer) {
  const Read result = read({{"nics", 2},
                            {"nic_bandwidth_GBps", 25},
                            {"nvlink_bandwidth_GBps", 200},
                            {"pcie_bandwidth_GBps", 63},
                            {"nvlink_latency_us", 0.5},
                            {"pcie_latency_us", 0},
                            {"gpu_memory_GiB", 40},
                            {"gpus_per_node", 8}});
  EXPECT_THAT(result.problems, IsEmpty());
  EXPECT_EQ(result.server.nics, 2);
  EXPECT_EQ(result.server.nic_bandwidth, BytesPerSecond{25e9});
  EXPECT_EQ(result.server.nvlink_bandwidth, BytesPerSecond{200e9});
  EXPECT_EQ(result.server.pcie_bandwidth, BytesPerSecond{63e9});
  EXPECT_EQ(result.server.nvlink_latency, microseconds(0.5));
  EXPECT_EQ(result.server.pcie_latency, Seconds{});
  EXPECT_EQ(result.server.gpu_memory, gibibytes(40));
  EXPECT_EQ(result.server.gpus, 8);
  EXPECT_EQ(result.server.nvlink_domain_gpus, 8);
}

TEST(Overrides, KeepTheRailsOfARack) {
  const ServerSpec rack = read({{"nics", 36}}, server_preset("gb200-nvl72"), 2).server;
  EXPECT_EQ(rack.rails, 4);
}

TEST(Overrides, NameLinksAndServers) {
  const Read result = read({{"dead_nodes", {3, 1, 3}},
                            {"slow_links",
                             {{{"tier", "nic"}, {"node", 2}, {"local", 1}, {"factor", 0.5}},
                              {{"tier", "nvlink"}, {"node", 0}, {"factor", 0}},
                              {{"tier", "spine"}, {"local", 3}, {"factor", 0.75}}}}});
  EXPECT_THAT(result.problems, IsEmpty());
  EXPECT_THAT(result.changes.dead_nodes, ElementsAre(1, 3));
  ASSERT_EQ(result.changes.slow_links.size(), 3U);
  EXPECT_EQ(result.changes.slow_links[0].tier, LinkTier::nic);
  EXPECT_EQ(result.changes.slow_links[0].node, 2);
  EXPECT_EQ(result.changes.slow_links[0].local, 1);
  EXPECT_EQ(result.changes.slow_links[1].local, std::nullopt);
  EXPECT_EQ(result.changes.slow_links[2].factor, 0.75);
}

TEST(Overrides, AreReadBackAsWritten) {
  const Json json{{"dead_nodes", {1}},
                  {"slow_links",
                   {{{"tier", "nic"}, {"node", 2}, {"local", 1}, {"factor", 0.5}},
                    {{"tier", "spine"}, {"local", 3}, {"factor", 0.0}}}}};
  EXPECT_EQ(to_json(read(json).changes), json);
  EXPECT_EQ(to_json(Changes{}), Json::object());
}

TEST(Overrides, SayWhatIsWrong) {
  EXPECT_THAT(read({{"dead_nodes", {4}}}).problems,
              ElementsAre("dead_nodes[0]: must be one of the 4 servers, 0 to 3, found 4"));
  EXPECT_THAT(read({{"dead_nodes", {0, 1, 2, 3}}}).problems,
              ElementsAre("dead_nodes: no server is left"));
  EXPECT_THAT(read({{"dead_nodes", 1}}).problems,
              ElementsAre("dead_nodes: must be an array, found 1"));
  EXPECT_THAT(read({{"gpus_per_node", 300000}}).problems,
              ElementsAre("gpus_per_node: must be at most 262144, found 300000"));
  EXPECT_THAT(read({{"nics", 257}}).problems, ElementsAre("nics: must be at most 256, found 257"));
  EXPECT_THAT(read({{"nic_bandwith_GBps", 2}}).problems,
              ElementsAre("nic_bandwith_GBps: unknown key (did you mean \"nic_bandwidth_GBps\"?)"));
  EXPECT_THAT(read({{"nics", 4}}, test::toy_server(4, 0), 1).problems, IsEmpty());
}

TEST(Overrides, NeedTheRateOfNicsThatWereNotThere) {
  ServerSpec server = test::toy_server(4, 0);
  server.nic_bandwidth = BytesPerSecond{};
  EXPECT_THAT(read({{"nics", 4}}, server, 1).problems,
              ElementsAre("nic_bandwidth_GBps: missing: this server has no NIC to take it from"));
}

TEST(Overrides, KeepWholeNvlinkDomains) {
  ServerSpec server = test::toy_server(8, 8);
  server.nvlink_domain_gpus = 4;
  EXPECT_THAT(read({{"gpus_per_node", 6}}, server).problems,
              ElementsAre("gpus_per_node: must be a multiple of the 4 GPUs of an NVLink domain, "
                          "found 6"));
  EXPECT_EQ(read({{"gpus_per_node", 12}}, server).server.nvlink_domain_gpus, 4);
  EXPECT_EQ(read({{"gpus_per_node", 2}}, server).server.nvlink_domain_gpus, 2);
}

TEST(SlowLinks, SayWhatIsWrong) {
  const auto problems = [](const Json& link, std::int64_t nodes = 4) {
    return read({{"slow_links", {link}}}, test::toy_server(), nodes).problems;
  };
  EXPECT_THAT(problems(Json::object()),
              ElementsAre("slow_links[0].tier: missing", "slow_links[0].node: missing",
                          "slow_links[0].factor: missing"));
  EXPECT_THAT(
      problems({{"tier", "nics"}, {"node", 0}, {"factor", 1}}),
      ElementsAre("slow_links[0].tier: must be one of nvlink, pcie, nic, spine, core, found "
                  "\"nics\" (did you mean \"nic\"?)"));
  EXPECT_THAT(problems({{"tier", "nic"}, {"node", 4}, {"local", 4}, {"factor", 1.5}}),
              ElementsAre("slow_links[0].node: must be one of the 4 servers, 0 to 3, found 4",
                          "slow_links[0].local: must be one of the 4 NICs, 0 to 3, found 4",
                          "slow_links[0].factor: must be within 0 (dead) and 1, found 1.5"));
  EXPECT_THAT(problems({{"tier", "core"}, {"factor", 0.5}}),
              ElementsAre("slow_links[0].tier: this cluster has no links of tier core"));
  EXPECT_THAT(problems({{"tier", "nic"}, {"node", 0}, {"factor", 0.5}}, 1),
              ElementsAre("slow_links[0].tier: this cluster has no links of tier nic"));
  EXPECT_THAT(problems({{"tier", "spine"}, {"node", 0}, {"factor", 0.5}}),
              ElementsAre("slow_links[0].node: unknown key (known keys: factor, local, tier)"));
}

}  // namespace
}  // namespace stepcast

#include "topologies/cluster_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/topologies/cluster_fixtures.hpp"
#include "topologies/describe.hpp"

namespace stepcast {
namespace {

using Json = nlohmann::json;

// Writes, reads and writes again.
Json again(const Json& written) {
  const JsonReader reader("t.json", written);
  reader.expect_format("stepcast.topology", 1, true);
  const Cluster cluster = parse_cluster(reader.root());
  EXPECT_THAT(reader.problems(), testing::IsEmpty());
  return to_json(cluster);
}

TEST(ClusterJson, IsReadBackAsTheSameCluster) {
  for (const char* name :
       {"dgx-h100:8", "dgx-a100:40", "dgx-b200", "gb200-nvl72:2", "cpu-host:2"}) {
    const Json written = to_json(load_cluster(name));
    EXPECT_EQ(again(written), written) << name;
  }
}

TEST(ClusterJson, KeepsChangesAndExplicitGraphs) {
  const Json changed = {
      {"server", "dgx-h100"},
      {"nodes", 4},
      {"gpus", 20},
      {"fabric", {{"kind", "leaf_spine"}, {"oversubscription", 3}}},
      {"overrides",
       {{"nics", 4},
        {"dead_nodes", {1}},
        {"slow_links", {{{"tier", "nic"}, {"node", 0}, {"local", 2}, {"factor", 0.5}}}}}}};
  const JsonReader reader("t.json", changed);
  const Json written = to_json(parse_cluster(reader.root()));
  ASSERT_THAT(reader.problems(), testing::IsEmpty());
  EXPECT_EQ(written["overrides"]["dead_nodes"], Json({1}));
  EXPECT_EQ(again(written), written);

  Json graph =
      to_json(build_cluster(test::toy_server(), 2, test::toy_fabric(FabricKind::leaf_spine)));
  Cluster cluster = build_cluster(test::toy_server(), 2, test::toy_fabric(FabricKind::leaf_spine));
  cluster.explicit_graph = true;
  graph = to_json(cluster);
  EXPECT_TRUE(graph.contains("vertices"));
  EXPECT_EQ(again(graph)["links"], graph["links"]);
  EXPECT_EQ(again(graph)["derived"], graph["derived"]);
}

TEST(ClusterJson, DerivesWhatTheTextShows) {
  const Json json = to_json(load_cluster("dgx-h100:8"));
  EXPECT_EQ(json["format"], "stepcast.topology");
  EXPECT_EQ(json["version"], 1);
  EXPECT_EQ(json["name"], "dgx-h100:8");
  const Json& derived = json["derived"];
  EXPECT_EQ(derived["gpus"], 64);
  EXPECT_EQ(derived["servers"], 8);
  EXPECT_EQ(derived["nvlink_domains"], 8);
  EXPECT_EQ(derived["vertices"]["leaf"], 8);
  EXPECT_EQ(derived["bisection_GBps"], 1600.0);
  EXPECT_EQ(derived["tiers"][2], Json({{"tier", "nic"},
                                       {"links", 64},
                                       {"slowest_GBps", 50.0},
                                       {"fastest_GBps", 50.0},
                                       {"latency_us", 0.35}}));
}

}  // namespace
}  // namespace stepcast

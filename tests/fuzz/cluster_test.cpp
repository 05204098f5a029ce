#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "common/json_node.hpp"
#include "tests/fuzz/mutate.hpp"
#include "topologies/cluster.hpp"

namespace stepcast {
namespace {

TEST(FuzzCluster, WrongDescriptionsAreReported) {
  fuzz::survives_documents(
      {fuzz::sample("clusters/slow_link.json"), fuzz::sample("clusters/graph.json")}, 400,
      [](const nlohmann::json& document) {
        const JsonReader reader("cluster.json", document);
        const Cluster cluster = parse_cluster(reader.root());
        reader.throw_if_problems();
        EXPECT_GE(cluster.topology.gpu_count(), 1U) << document;
      });
}

TEST(FuzzCluster, WrongNamesAreReported) {
  fuzz::survives_text({"dgx-h100:8", "gb200-nvl72:2"}, 400,
                      [](const std::string& name) { static_cast<void>(load_cluster(name)); });
}

}  // namespace
}  // namespace stepcast

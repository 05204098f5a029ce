#include "reports/migration_json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "common/files.hpp"
#include "reports/prediction_json.hpp"
#include "tests/reports/migration_fixtures.hpp"
#include "tests/reports/schema_check.hpp"

namespace stepcast {
namespace {

using namespace migration_fixtures;
using nlohmann::json;

TEST(MigrationJson, HasTheKeysThatScriptsRead) {
  const json document = to_json(small_report());
  EXPECT_EQ(document["format"], "stepcast.migration");
  EXPECT_EQ(document["valid"], (json{{"from", true}, {"to", true}}));
  EXPECT_EQ(document["read_bytes_per_rank"], 3000000000);
  EXPECT_EQ(document["remote_bytes_per_rank"], 1000000000);
  EXPECT_EQ(document["reads"]["all"]["read"]["total"], 16000000000);
  EXPECT_EQ(document["seconds"], 2.0);
  EXPECT_EQ(document["delta"]["step_time_s"], -2.0);
  EXPECT_EQ(document["delta"]["peak_allocated_bytes"], -10000000000);
  EXPECT_EQ(document["forecast"]["from"]["step_time_s"], 8.0);
  EXPECT_EQ(document["checklist"], (json{"save", "stop"}));
}

TEST(MigrationJson, KeepsValuesTyped) {
  const json document = to_json(small_report());
  const json& tensor = document["knobs"][0];
  EXPECT_EQ(tensor["knob"], "parallel.tensor");
  EXPECT_EQ(tensor["from"], 1);
  EXPECT_EQ(tensor["to"], 2);
  EXPECT_EQ(tensor["flags"]["megatron"], "--tensor-model-parallel-size");
  EXPECT_EQ(document["numerics"][0],
            (json{{"knob", "parallel.tensor"},
                  {"class", "rounding"},
                  {"reason", "row-parallel linears add their partial sums in other groups"}}));
}

TEST(MigrationJson, GivesShapesOfOneRank) {
  const json document = to_json(small_report());
  for (const json& tensor : document["tensors"]) {
    if (tensor["name"] != "decoder.layers.mlp.linear_fc2.weight") continue;
    EXPECT_EQ(tensor["axis"], 1);
    EXPECT_EQ(tensor["from_shape"], (json{64, 128}));
    EXPECT_EQ(tensor["to_shape"], (json{64, 64}));
    EXPECT_EQ(tensor["count"], 4);
    return;
  }
  FAIL() << "no FC2";
}

TEST(MigrationJson, HasNoTimeWithoutARate) {
  auto report = small_report();
  report.migration->times.storage = std::nullopt;
  report.migration->times.storage_rate = std::nullopt;
  const json document = to_json(report);
  EXPECT_TRUE(document["seconds"].is_null());
  EXPECT_EQ(document["seconds_reason"],
            "the storage's read rate is not known: give --storage-GBps");
}

TEST(MigrationJson, SaysWhichRuleASideBreaks) {
  const json document = to_json(broken_report());
  EXPECT_EQ(document["valid"], (json{{"from", true}, {"to", false}}));
  EXPECT_EQ(document["problems"]["to"],
            (json::array({{{"where", "parallel.tensor = 3"},
                           {"message", "must divide the 8 attention heads"}}})));
  EXPECT_TRUE(document["delta"].is_null());
  EXPECT_TRUE(document["knobs"].empty());
}

TEST(MigrationJson, FollowsItsSchema) {
  STEPCAST_EXPECT_SCHEMA("migration", document_text(to_json(small_report())));
}

TEST(MigrationJson, FollowsItsSchemaWithABrokenSide) {
  STEPCAST_EXPECT_SCHEMA("migration", document_text(to_json(broken_report())));
}

}  // namespace
}  // namespace stepcast

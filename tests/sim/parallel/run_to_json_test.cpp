#include "run_fixtures.hpp"

namespace stepcast {
namespace {

using testing_runs::Json;
using testing_runs::run_with;

void expect_round_trip(const std::vector<std::string>& assignments) {
  const Json written = to_json(run_with(assignments));
  EXPECT_EQ(to_json(parse_run("again.json", written)), written) << written.dump(2);
}

TEST(RunToJson, ReadsBackAsTheSameRun) {
  expect_round_trip({});
  expect_round_trip({"parallel.tensor=8", "parallel.sequence_parallel=true", "overlap.tensor=true",
                     "parallel.sharding=optimizer", "overlap.grad_reduce=true",
                     "overlap.param_gather=true", "framework_release=2022"});
  expect_round_trip({"parallel.pipeline=4", "parallel.virtual_stages=2", "parallel.tensor=2",
                     "training.recompute={\"kind\":\"full\",\"layers\":5}"});
  expect_round_trip({"parallel.pipeline=4", "parallel.stage_layers=[19,21,21,19]"});
  expect_round_trip({"parallel.pipeline=4", "parallel.stage_layers={\"first\":18,\"last\":22}",
                     "training.recompute=selective", "training.attention=unfused"});
  expect_round_trip({"framework=torchtitan", "parallel.sharding=none", "parallel.pipeline=2"});
}

TEST(RunToJson, ShowsEveryDefault) {
  const Json written = to_json(run_with({"parallel.tensor=4"}));
  EXPECT_EQ(written["format"], "stepcast.run");
  EXPECT_EQ(written["version"], 1);
  EXPECT_EQ(written["profile"], "h100-sxm");
  EXPECT_EQ(written["framework"], "megatron");
  EXPECT_EQ(written["parallel"]["data"], 16);
  EXPECT_EQ(written["parallel"]["schedule"], "1f1b");
  EXPECT_EQ(written["parallel"]["order"], "tp-cp-ep-dp-pp");
  EXPECT_EQ(written["training"]["micro_batch"], 1);
  EXPECT_EQ(written["training"]["gradient_dtype"], "fp32");
  EXPECT_EQ(written["training"]["recompute"], (Json{{"kind", "none"}}));
  EXPECT_EQ(written["overlap"]["grad_reduce"], false);
}

TEST(RunToJson, KeepsModelAndClusterAsTheyWereGiven) {
  const Json document = testing_runs::base_document();
  Json object = document;
  object["cluster"] = Json{{"server", "dgx-h100"}, {"nodes", 8}};
  EXPECT_EQ(to_json(parse_run("run.json", document))["cluster"], "dgx-h100:8");
  EXPECT_EQ(to_json(parse_run("run.json", object))["cluster"], object["cluster"]);
}

}  // namespace
}  // namespace stepcast

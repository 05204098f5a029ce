#include "reports/forecast.hpp"

#include <gtest/gtest.h>

#include "tests/reports/report_fixtures.hpp"

namespace stepcast {
namespace {

using namespace report_fixtures;

TEST(MakeForecast, TakesEveryResolvedInput) {
  const Forecast made = make_forecast("run.json", small_prediction(), small_run());
  EXPECT_EQ(made.label, "run.json");
  EXPECT_EQ(made.inputs.at("parallel.tensor"), "4");
  EXPECT_EQ(made.inputs.at("parallel.data"), "1");  // resolved: 8 / (4 * 2)
  EXPECT_EQ(made.inputs.at("profile"), "h100-sxm");
}

TEST(ConfigurationLine, SaysModelClusterDegreesAndBatch) {
  EXPECT_EQ(configuration_line(forecast("a", small_prediction())),
            "llama-3-8b on 8 GPUs of dgx-h100:1, megatron\n"
            "  TP 4, PP 2 (1f1b), DP 1\n"
            "  sequence 8192, global batch 8, micro-batch 1, bf16, recompute none, sharding none");
}

TEST(ConfigurationLine, UsesTheNamesInsideObjects) {
  Forecast f = forecast("a", small_prediction());
  f.inputs.erase("model");
  f.inputs.erase("cluster");
  f.inputs["model.name"] = "my-model";
  f.inputs["cluster.server"] = "dgx-h200";
  f.inputs["cluster.nodes"] = "3";
  EXPECT_EQ(configuration_line(f).substr(0, 38), "my-model on 8 GPUs of dgx-h200:3, mega");
}

TEST(ParallelLine, NamesVirtualStagesAndContext) {
  Forecast f = forecast("a", small_prediction());
  f.inputs["parallel.context"] = "2";
  f.inputs["parallel.virtual_stages"] = "5";
  f.inputs["parallel.schedule"] = "interleaved";
  EXPECT_EQ(parallel_line(f), "TP 4, PP 2 (5 virtual, interleaved), CP 2, DP 1");
}

}  // namespace
}  // namespace stepcast

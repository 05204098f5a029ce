#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_cli.hpp"
#include "tests/reports/schema_check.hpp"

namespace stepcast::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

json swept(const std::string& run_text, const std::vector<std::string>& flags, int code = 0) {
  const Folder folder;
  std::vector<std::string> arguments{"compare", folder.file("run.json", run_text), "--json", "-"};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  const Ran ran = run(arguments);
  EXPECT_EQ(ran.code, code) << ran.err;
  return json::parse(ran.out, nullptr, false);
}

TEST(Sweep, HasThePredictionOfEveryValue) {
  const json out = swept(small_run_text, {"--sweep", "parallel.tensor=2,4"});
  ASSERT_EQ(out["points"].size(), 2U);
  const Folder folder;
  const Ran alone = run({"predict", folder.file("run.json", small_run_text), "--json", "-"});
  const json prediction = json::parse(alone.out);  // tensor 4
  EXPECT_EQ(out["points"][1]["step_time_s"], prediction["step_time_s"]);
  EXPECT_EQ(out["points"][1]["mfu"], prediction["mfu"]);
  EXPECT_EQ(out["points"][1]["verdict"], prediction["memory"]["verdict"]);
  EXPECT_EQ(out["detail"], "operations");
  STEPCAST_EXPECT_SCHEMA("sweep", out.dump());
}

TEST(Sweep, KeepsAPointThatBreaksARule) {
  const json out = swept(small_run_text, {"--sweep", "parallel.tensor=3,4"});
  EXPECT_THAT(out["points"][0]["problem"].get<std::string>(),
              HasSubstr("parallel.tensor = 3: must divide"));
  EXPECT_EQ(out["points"][0]["step_time_s"], nullptr);
  EXPECT_EQ(out["best"], 1);
}

TEST(Sweep, ExitsWithOneWhenNoPointIsValid) {
  const json out = swept(small_run_text, {"--sweep", "parallel.tensor=3,5"}, 1);
  EXPECT_EQ(out["best"], nullptr);
  EXPECT_EQ(out["points"].size(), 2U);
}

TEST(Sweep, TakesARunFromFlagsAlone) {
  const Ran ran = run({"compare", "--model", "llama-3-8b", "--cluster", "dgx-h100:1", "--set",
                       "parallel.tensor=8", "--set", "training.global_batch=8", "--sweep",
                       "training.sequence_length=2048..8192*2", "--json", "-"});
  const json out = json::parse(ran.out);
  EXPECT_EQ(out["axes"][0]["values"], (json{2048, 4096, 8192}));
  EXPECT_LT(out["points"][0]["step_time_s"]["p50"], out["points"][2]["step_time_s"]["p50"]);
}

TEST(Sweep, KeepsTheBatchInStrongScaling) {
  const json out = swept(small_run_text, {"--sweep", "gpus=8,16,32"});
  for (const json& point : out["points"]) {
    // 16 sequences of 4096 tokens a step.
    EXPECT_NEAR(point["tokens_per_s"].get<double>() * point["step_time_s"]["p50"].get<double>(),
                16.0 * 4096.0, 1e-3);
    EXPECT_EQ(point["gpus"], point["values"][0]);
    EXPECT_NEAR(point["scaling_efficiency"].get<double>(),
                point["tokens_per_s_per_gpu"].get<double>() /
                    out["points"][0]["tokens_per_s_per_gpu"].get<double>(),
                1e-12);
  }
}

TEST(Sweep, GrowsTheBatchInWeakScaling) {
  const json out = swept(small_run_text, {"--sweep", "gpus=8,16", "--weak-scaling"});
  EXPECT_EQ(out["scaling"], "weak");
  const json& point = out["points"][1];
  EXPECT_NEAR(point["tokens_per_s"].get<double>() * point["step_time_s"]["p50"].get<double>(),
              32.0 * 4096.0, 1e-3);
}

TEST(Sweep, LetsDataParallelismFollowTheGpus) {
  json text = json::parse(small_run_text);
  text["parallel"]["data"] = 1;
  const json out = swept(text.dump(), {"--sweep", "gpus=8,16"});
  EXPECT_EQ(out["points"][1]["gpus"], 16);
}

TEST(Sweep, VariesTheRatesOfAPresetCluster) {
  json text = json::parse(small_run_text);
  text["cluster"] = "dgx-h100:2";
  const json out = swept(text.dump(), {"--sweep", "network_GBps=1,50"});
  EXPECT_GT(out["points"][0]["step_time_s"]["p50"], out["points"][1]["step_time_s"]["p50"]);
  const Folder folder;
  const Ran alone = run({"predict", folder.file("run.json", text.dump()), "--json", "-"});
  // 50 GB/s is what the preset has.
  EXPECT_EQ(out["points"][1]["step_time_s"], json::parse(alone.out)["step_time_s"]);
  EXPECT_EQ(out["axes"][0]["unit"], "GB/s per NIC");
}

TEST(Sweep, FindsTheKneeOfTheNetwork) {
  json text = json::parse(small_run_text);
  text["cluster"] = "dgx-h100:2";
  const json out = swept(text.dump(), {"--sweep", "network_GBps=0.5..512*2"});
  ASSERT_TRUE(out["knee"].is_object());
  std::map<double, double> rate;
  for (const json& point : out["points"])
    rate[point["values"][0].get<double>()] = point["tokens_per_s"].get<double>();
  const double knee = out["knee"]["value"].get<double>();
  EXPECT_LT(rate.at(2.0 * knee) / rate.at(knee), 1.02);
  EXPECT_GE(rate.at(knee) / rate.at(knee / 2.0), 1.02);
}

TEST(Sweep, TakesTwoAxesAcrossClusters) {
  const json out = swept(small_run_text, {"--sweep", "cluster=dgx-h100:2,dgx-b200:2", "--sweep",
                                          "nvlink_GBps=200,400"});
  EXPECT_EQ(out["points"].size(), 4U);
  EXPECT_EQ(out["knees"].size(), 2U);
  EXPECT_EQ(out["provenance"]["profiles"], (json{"b200-sxm", "h100-sxm"}));
}

TEST(Sweep, WritesMarkdownForAPullRequest) {
  const Folder folder;
  const std::string file = folder.file("run.json", small_run_text);
  const Ran shown = run({"compare", file, "--sweep", "parallel.tensor=4", "--markdown", "-"});
  EXPECT_THAT(shown.out, StartsWith("**sweep of parallel.tensor**\n"));
  const Ran written =
      run({"compare", file, "--sweep", "parallel.tensor=4", "--markdown", folder.path("s.md")});
  EXPECT_EQ(read(folder.path("s.md")), shown.out);
  EXPECT_THAT(written.out, StartsWith("sweep of parallel.tensor\n"));
}

TEST(Markdown, IsWrittenByPredictAndCompare) {
  const Folder folder;
  const std::string file = folder.file("run.json", small_run_text);
  EXPECT_THAT(run({"predict", file, "--markdown", "-"}).out, HasSubstr("| step time (s) | "));
  EXPECT_THAT(run({"compare", file, file, "--markdown", "-"}).out, HasSubstr("| summary | "));
}

}  // namespace
}  // namespace stepcast::cli

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "tests/cli/run_cli.hpp"
#include "tests/reports/schema_check.hpp"

namespace stepcast::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

const std::vector<std::string> tight_fit{"predict", "--model", "llama-3-70b", "--cluster",
                                         "dgx-h100:1"};

std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(Help, FitsAScreenAndShowsAnExample) {
  const std::vector<std::vector<std::string>> commands{
      {},          {"predict"},         {"compare"},          {"collective"},
      {"score"},   {"topology"},        {"topology", "show"}, {"model", "show"},
      {"profile"}, {"profile", "show"}, {"profile", "check"}, {"profile", "import"},
      {"search"},  {"advise"},          {"migrate"},          {"export"},
      {"import"},  {"health"}};
  for (const auto& command : commands) {
    const Ran ran = run(with(command, {"--help"}));
    EXPECT_EQ(ran.code, 0);
    EXPECT_EQ(ran.err, "");
    EXPECT_THAT(ran.out, HasSubstr("Example:"));
    EXPECT_LE(std::count(ran.out.begin(), ran.out.end(), '\n'), 40) << ran.out;
  }
}

TEST(Version, NamesProductAndDocuments) {
  const Ran ran = run({"--version"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, StartsWith("stepcast "));
  EXPECT_THAT(ran.out, HasSubstr("\nstepcast.prediction version 1\n"));
}

TEST(Predict, PrintsTextForPeople) {
  const Folder folder;
  const Ran ran = run({"predict", folder.file("run.json", small_run_text)});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, StartsWith("llama-3-8b on 8 GPUs of dgx-h100:1, megatron\n"));
  EXPECT_THAT(ran.out, HasSubstr("memory fits: "));
}

TEST(Predict, WritesExactlyOneDocumentToStdout) {
  const Folder folder;
  const Ran ran = run({"predict", folder.file("run.json", small_run_text), "--json", "-"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const json document = json::parse(ran.out);
  EXPECT_EQ(document["format"], "stepcast.prediction");
  EXPECT_EQ(document["gpus"], 8);
  STEPCAST_EXPECT_SCHEMA("prediction", ran.out);
}

TEST(Predict, BreakdownSumsToTheStepTime) {
  const Folder folder;
  const json document =
      json::parse(run({"predict", folder.file("run.json", small_run_text), "--json", "-"}).out);
  for (const json& stage : document["breakdown"]) {
    double sum = 0.0;
    for (const char* key : {"bubble_s", "recompute_s", "optimizer_s", "host_s"})
      sum += stage[key].get<double>();
    for (const char* key : {"compute_s", "exposed_communication_s"})
      for (const json& part : stage[key]) sum += part.get<double>();
    EXPECT_NEAR(sum / stage["total_s"].get<double>(), 1.0, 1e-9);
    EXPECT_NEAR(stage["total_s"].get<double>() / document["step_time_s"]["p50"].get<double>(), 1.0,
                1e-9);
  }
}

TEST(Predict, GivesTheSameBytesTwice) {
  const Folder folder;
  const std::vector<std::string> command{"predict", folder.file("run.json", small_run_text),
                                         "--json", "-"};
  EXPECT_EQ(run(command).out, run(command).out);
}

TEST(Predict, WritesFilesAndStillPrintsText) {
  const Folder folder;
  const Ran ran = run({"predict", folder.file("run.json", small_run_text), "--json",
                       folder.path("p.json"), "--trace", folder.path("t.json")});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("tokens/s/GPU"));
  EXPECT_EQ(json::parse(read(folder.path("p.json")))["format"], "stepcast.prediction");
  const json trace = json::parse(read(folder.path("t.json")));
  double end = 0.0;
  for (const json& event : trace["traceEvents"])
    if (event["ph"] == "X")
      end = std::max(end, event["ts"].get<double>() + event["dur"].get<double>());
  // The last operation ends with the step.
  const json document = json::parse(read(folder.path("p.json")));
  EXPECT_NEAR(end * 1e-6 / document["breakdown"][0]["total_s"].get<double>(), 1.0, 0.02);
}

TEST(Predict, FlagsReplaceTheRunFile) {
  const Folder folder;
  const Ran ran = run({"predict", folder.file("run.json", small_run_text), "--model", "llama-2-7b",
                       "--cluster", "dgx-a100:2", "--set", "parallel.tensor=2", "--set",
                       "training.global_batch=32", "--json", "-"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const json inputs = json::parse(ran.out)["inputs"];
  EXPECT_EQ(inputs["model"], "llama-2-7b");
  EXPECT_EQ(inputs["profile"], "a100-sxm-80gb");
  EXPECT_EQ(inputs["parallel"]["data"], 4);  // 16 GPUs / (2 * 2)
  EXPECT_EQ(inputs["training"]["global_batch"], 32);
}

TEST(Predict, ResolvedInputsPredictTheSame) {
  const Folder folder;
  const json first =
      json::parse(run({"predict", folder.file("run.json", small_run_text), "--json", "-"}).out);
  const json second = json::parse(
      run({"predict", folder.file("again.json", first["inputs"].dump()), "--json", "-"}).out);
  EXPECT_EQ(first, second);
}

TEST(Predict, ExitsWithOneWhenOutOfMemory) {
  const Ran ran = run(with(tight_fit, {"--set", "training.sequence_length=8192", "--json", "-"}));
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_EQ(json::parse(ran.out)["memory"]["verdict"], "out_of_memory");
}

TEST(Predict, ListsInputsOnRequest) {
  const Folder folder;
  const std::string file = folder.file("run.json", small_run_text);
  EXPECT_THAT(run({"predict", file, "--inputs"}).out, HasSubstr("training.gradient_dtype"));
}

TEST(Compare, RanksAndExplains) {
  const Folder folder;
  const std::string a = folder.file("a.json", small_run_text);
  json changed = json::parse(small_run_text);
  changed["parallel"]["tensor"] = 2;
  const std::string b = folder.file("b.json", changed.dump());
  const Ran ran = run({"compare", a, b, "--json", "-"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const json document = json::parse(ran.out);
  const json& step = document["differences"][0];
  double sum = 0.0;
  for (const json& term : step["terms"]) sum += term["seconds"].get<double>();
  EXPECT_NEAR(sum, step["values"][1].get<double>() - step["values"][0].get<double>(), 1e-9);
  STEPCAST_EXPECT_SCHEMA("comparison", ran.out);
}

TEST(Compare, TakesPredictionsAlreadyWritten) {
  const Folder folder;
  const std::string runs = folder.file("run.json", small_run_text);
  ASSERT_EQ(run({"predict", runs, "--json", folder.path("p.json")}).code, 0);
  const Ran ran = run({"compare", runs, folder.path("p.json"), "--json", "-"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const json document = json::parse(ran.out);
  EXPECT_EQ(document["predictions"][0], document["predictions"][1]);
}

TEST(Compare, ExitsWithOneWhenNothingFits) {
  const Folder folder;
  const std::string file = folder.file("oom.json",
                                       R"({"model": "llama-3-70b", "cluster": "dgx-h100:1",
          "training": {"sequence_length": 8192}})");
  const Ran ran = run({"compare", file, file});
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("none fits in memory"));
}

TEST(Collective, SweepsLikeNcclTests) {
  const Ran ran = run({"collective", "--cluster", "dgx-h100:1", "--op", "all_gather", "-b", "1M",
                       "-e", "16M", "-f", "4", "--json", "-"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const json rows = json::parse(ran.out)["rows"];
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0]["bytes"], 1048576);
  EXPECT_EQ(rows[2]["bytes"], 16777216);
  EXPECT_EQ(rows[2]["ranks"], 8);
  STEPCAST_EXPECT_SCHEMA("collective", ran.out);
}

TEST(Score, PrintsErrorsOfAKernelTable) {
  const Folder folder;
  const std::string file =
      folder.file("gemm_h100_sxm.csv",
                  "m,n,k,dtype,layout,measured_us,tflops,median_us_all_stacks,min_us_all_stacks,"
                  "max_us_all_stacks,n_stacks,kernel,source\n"
                  "4096,8192,8192,bfloat16,TN_fwd(y=x*W^T),800,687,,,,1,k,s\n");
  const Ran ran = run({"score", file, "--json", "-"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const json document = json::parse(ran.out);
  EXPECT_EQ(document["rows"][0]["id"], "gemm_h100_sxm.csv:2");
  EXPECT_EQ(document["summary"][0]["scored"], 1);
  STEPCAST_EXPECT_SCHEMA("score", ran.out);
  EXPECT_THAT(run({"score", file}).out, HasSubstr("mean over sources, time_s: "));
}

TEST(Show, PrintsTopologyModelAndProfile) {
  EXPECT_THAT(run({"topology", "show", "dgx-h100:8"}).out, HasSubstr("64"));
  EXPECT_THAT(run({"model", "show", "llama-3-70b"}).out, HasSubstr("70553706496"));
  EXPECT_THAT(run({"profile", "show", "cpu"}).out, StartsWith("cpu\n"));
  EXPECT_THAT(run({"profile", "check", "h100-sxm"}).out, StartsWith("h100-sxm: valid, "));
}

TEST(ProfileImport, WritesAProfileThatCanBeRead) {
  const Folder folder;
  // The host's plan has no tables, so that an empty folder will do.
  const Ran ran =
      run({"profile", "import", folder.path(""), "--name", "cpu", "--out", folder.path("p.json")});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("p.json: 0 GEMM, 0 attention and 0 collective points\n"));
  EXPECT_EQ(run({"profile", "check", folder.path("p.json")}).code, 0);
}

TEST(Compare, ReportsProblemsOfAllFiles) {
  const Folder folder;
  const std::string bad = folder.file("bad.json", "{");
  const Ran ran = run({"compare", "nofile.json", bad});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("stepcast: cannot read nofile.json: No such file or directory\n"));
  EXPECT_THAT(ran.err, HasSubstr("bad.json: line 1, column 2: "));
}

TEST(Show, WritesDocuments) {
  const Ran topology = run({"topology", "show", "dgx-h100:2", "--json", "-"});
  EXPECT_EQ(json::parse(topology.out)["derived"]["gpus"], 16);
  EXPECT_EQ(json::parse(run({"model", "show", "llama-3-8b", "--json", "-"}).out)["layers"], 32);
  EXPECT_EQ(json::parse(run({"profile", "show", "cpu", "--json", "-"}).out)["name"], "cpu");
}

// The built program itself: exit code, and which stream holds what.
Ran run_binary(const std::string& arguments) {
  const Folder folder;
  const std::string command = std::string("'") + STEPCAST_BINARY + "' " + arguments + " >'" +
                              folder.path("out") + "' 2>'" + folder.path("err") + "'";
  const int status = std::system(command.c_str());
  return {WEXITSTATUS(status), read(folder.path("out")), read(folder.path("err"))};
}

TEST(Binary, SeparatesResultsFromMessages) {
  const Ran good = run_binary("model show llama-3-8b");
  EXPECT_EQ(good.code, 0);
  EXPECT_THAT(good.out, StartsWith("llama-3-8b\n"));
  EXPECT_EQ(good.err, "");
  const Ran bad = run_binary("predcit");
  EXPECT_EQ(bad.code, 2);
  EXPECT_EQ(bad.out, "");
  EXPECT_EQ(bad.err, "stepcast: unknown command \"predcit\" (did you mean \"predict\"?)\n");
}

TEST(Binary, WritesNoColourIntoAFile) {
  EXPECT_EQ(run_binary("predict --model llama-3-8b --cluster dgx-h100:1 "
                       "--set training.sequence_length=4096")
                .out.find('\033'),
            std::string::npos);
}

TEST(Binary, ReportsAFullDisk) {
  const std::string command =
      std::string("'") + STEPCAST_BINARY + "' model show llama-3-8b > /dev/full 2>/dev/null";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 2);
}

}  // namespace
}  // namespace stepcast::cli

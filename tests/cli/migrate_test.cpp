#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "reports/html_report.hpp"
#include "tests/cli/run_cli.hpp"
#include "tests/reports/schema_check.hpp"

namespace stepcast::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

std::string run_text(const json& parallel, const std::string& model = "llama-3-8b") {
  return json{{"model", model},
              {"cluster", "dgx-h100:1"},
              {"parallel", parallel},
              {"training", {{"sequence_length", 4096}, {"global_batch", 16}}}}
      .dump();
}

const json sharded{{"tensor", 4}, {"sharding", "optimizer"}};
const json resharded{{"tensor", 2}, {"pipeline", 2}, {"sharding", "optimizer"}};

TEST(Migrate, PrintsTextForPeople) {
  const Folder folder;
  const Ran ran = run({"migrate", folder.file("a.json", run_text(sharded)),
                       folder.file("b.json", run_text(resharded))});
  EXPECT_EQ(ran.code, answered) << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, AllOf(HasSubstr("b.json: valid"), HasSubstr("fully_reshardable"),
                             HasSubstr("--tensor-model-parallel-size 2")));
}

TEST(Migrate, WritesADocumentThatFollowsItsSchema) {
  const Folder folder;
  const Ran ran =
      run({"migrate", folder.file("a.json", run_text(sharded)),
           folder.file("b.json", run_text(resharded)), "--json", "-", "--storage-GBps", "4"});
  ASSERT_EQ(ran.code, answered) << ran.err;
  const json document = json::parse(ran.out);
  EXPECT_TRUE(document["seconds"].is_number());
  EXPECT_EQ(document["rates"]["storage_GBps"], 4.0);
  STEPCAST_EXPECT_SCHEMA("migration", ran.out);
}

TEST(Migrate, WritesMarkdown) {
  const Folder folder;
  const Ran ran = run({"migrate", folder.file("a.json", run_text(sharded)),
                       folder.file("b.json", run_text(resharded)), "--markdown", "-"});
  EXPECT_EQ(ran.code, answered) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("\n### What changes\n\n| knob | before | after | numerics |\n"));
}

TEST(Migrate, WritesAPageOfItsDocument) {
  if (!html_reports_missing().empty()) GTEST_SKIP() << html_reports_missing();
  const Folder folder;
  const Ran ran = run({"migrate", folder.file("a.json", run_text(sharded)),
                       folder.file("b.json", run_text(resharded)), "--json", "-", "--html",
                       folder.path("m.html")});
  EXPECT_EQ(ran.code, answered) << ran.err;
  EXPECT_THAT(read(folder.path("m.html")), HasSubstr(json::parse(ran.out)["optimizer"].dump()));
}

TEST(Migrate, ReportsASideThatBreaksARule) {
  const Folder folder;
  const std::string a = folder.file("a.json", run_text(sharded));
  const std::string b = folder.file("b.json", run_text({{"tensor", 3}}));
  const Ran ran = run({"migrate", a, b});
  EXPECT_EQ(ran.code, nothing_feasible);
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, AllOf(HasSubstr("a.json: valid"), HasSubstr("b.json: breaks a rule"),
                             HasSubstr("parallel.tensor = 3: must divide")));
  EXPECT_EQ(json::parse(run({"migrate", b, a, "--json", "-"}).out)["valid"],
            (json{{"from", false}, {"to", true}}));
}

TEST(Migrate, ExitsWithOneWhenTheNewRunDoesNotFit) {
  const Folder folder;
  const Ran ran = run({"migrate", folder.file("a.json", run_text(sharded, "llama-3-70b")),
                       folder.file("b.json", run_text({{"tensor", 2}}, "llama-3-70b"))});
  EXPECT_EQ(ran.code, nothing_feasible);
  EXPECT_THAT(ran.out, HasSubstr("1. stop here: the new run needs"));
}

TEST(Migrate, RefusesOtherModels) {
  const Folder folder;
  const Ran ran = run({"migrate", folder.file("a.json", run_text(sharded)),
                       folder.file("b.json", run_text(sharded, "llama-2-7b"))});
  EXPECT_EQ(ran.code, failed);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr("llama-3-8b and llama-2-7b are not the same model"));
}

TEST(Migrate, RefusesFilesThatAreNoRuns) {
  const Folder folder;
  const std::string good = folder.file("a.json", run_text(sharded));
  EXPECT_EQ(run({"migrate", good, folder.path("absent.json")}).code, failed);
  const Ran ran = run({"migrate", good, folder.file("b.json", R"({"model": "llama-3-8b"})")});
  EXPECT_EQ(ran.code, failed);
  EXPECT_THAT(ran.err, HasSubstr("b.json: cluster: "));
}

TEST(Migrate, RefusesRatesThatAreNone) {
  const Folder folder;
  const std::string good = folder.file("a.json", run_text(sharded));
  for (const char* rate : {"0", "-1", "fast", "inf", "nan", "3x"}) {
    const Ran ran = run({"migrate", good, good, "--storage-GBps", rate, "--network-GBps", rate});
    EXPECT_EQ(ran.code, failed) << rate;
    EXPECT_THAT(ran.err, AllOf(HasSubstr("--storage-GBps: must be a rate"),
                               HasSubstr("--network-GBps: must be a rate")));
  }
}

TEST(Migrate, HelpFitsAScreen) {
  const Ran ran = run({"migrate", "--help"});
  EXPECT_EQ(ran.code, answered);
  EXPECT_THAT(ran.out, HasSubstr("Example:"));
  EXPECT_LE(std::count(ran.out.begin(), ran.out.end(), '\n'), 24) << ran.out;
}

}  // namespace
}  // namespace stepcast::cli

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_cli.hpp"
#include "tests/reports/schema_check.hpp"

namespace stepcast::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

std::vector<std::string> command(std::vector<std::string> more, const std::string& servers = "1",
                                 const std::string& model = "llama-3-8b") {
  std::vector<std::string> all{
      "advise", "--model",        model, "--cluster", "dgx-h100:" + servers, "--sequence-length",
      "8192",   "--global-batch", "64"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(Advise, PrintsTextForPeople) {
  const Ran ran = run(command({}));
  EXPECT_EQ(ran.code, answered) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("The rules choose"), HasSubstr("Five conditions"),
                             HasSubstr("Beside the search's best")));
}

TEST(Advise, SpeaksChinese) {
  const Ran ran = run(command({"--lang", "zh"}));
  EXPECT_EQ(ran.code, answered) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("五个条件"), HasSubstr("张量并行")));
}

TEST(Advise, WritesADocumentThatFollowsItsSchema) {
  const Ran ran = run(command({"--json", "-", "--lang", "zh"}));
  EXPECT_EQ(ran.code, answered) << ran.err;
  EXPECT_EQ(json::parse(ran.out).at("lang"), "zh");
  STEPCAST_EXPECT_SCHEMA("advice", ran.out);
}

TEST(Advise, WritesTheSameBytesTwice) {
  EXPECT_EQ(run(command({"--json", "-"})).out, run(command({"--json", "-"})).out);
}

TEST(Advise, WritesMarkdown) {
  const Ran ran = run(command({"--markdown", "-"}));
  EXPECT_EQ(ran.code, answered) << ran.err;
  EXPECT_TRUE(ran.out.starts_with("## Advice for llama-3-8b"));
}

TEST(Advise, SaysWhatIsMissingWhereNothingFits) {
  const Ran ran = run(command({}, "1", "llama-3-70b"));
  EXPECT_EQ(ran.code, nothing_feasible) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("Nothing fits"), HasSubstr("The rules find room on")));
}

TEST(Advise, AnswersUnderALowCeiling) {
  for (const char* ceiling : {"0", "1", "2"}) {
    const Ran ran = run(command({"--complexity", ceiling}));
    EXPECT_NE(ran.code, failed) << ceiling << ran.err;
  }
}

TEST(Advise, RefusesAnotherLanguage) {
  const Ran ran = run(command({"--lang", "fr"}));
  EXPECT_EQ(ran.code, failed);
  EXPECT_EQ(ran.err, "stepcast: --lang: must be en or zh, found \"fr\"\n");
}

TEST(Advise, RefusesSeveralNumbersOfGpus) {
  const Ran ran = run(command({"--gpus", "4,8"}));
  EXPECT_EQ(ran.code, failed);
  EXPECT_EQ(ran.err, "stepcast: --gpus: an advice is for one number of GPUs, found \"4,8\"\n");
}

}  // namespace
}  // namespace stepcast::cli

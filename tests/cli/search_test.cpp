#include "sim/plan/search.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/cli/run_cli.hpp"

namespace stepcast::cli {
namespace {

using testing::HasSubstr;

std::vector<std::string> search_arguments() {
  return {"search",
          "--model",
          "llama-3-8b",
          "--cluster",
          "dgx-h100:1",
          "--set",
          "parallel.order=tp-cp-ep-dp-pp",
          "--max-micro-batch",
          "1",
          "--sequence-length",
          "8192",
          "--global-batch",
          "16",
          "--top",
          "3"};
}

Ran search_with(const std::vector<std::string>& more) {
  std::vector<std::string> arguments = search_arguments();
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run(arguments);
}

std::string command_line(const std::vector<std::string>& more) {
  std::string line = STEPCAST_BINARY;
  for (const std::string& word : search_arguments()) line += " " + word;
  for (const std::string& word : more) line += " " + word;
  return line;
}

TEST(SearchCommand, ShowsTheBestAndTheFront) {
  const Ran ran = search_with({});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("best by time"));
  EXPECT_THAT(ran.out, HasSubstr("Pareto front"));
}

TEST(SearchCommand, BestIsItsOwnPrediction) {
  const Folder folder;
  ASSERT_EQ(search_with({"--json", folder.path("s.json")}).code, 0);
  const auto document = nlohmann::json::parse(read(folder.path("s.json")));
  const auto& best = document["best"][0];
  const std::string run_file = folder.file("best.json", best["run"].dump());
  const Ran again = run({"predict", run_file, "--json", "-"});
  ASSERT_EQ(again.code, 0) << again.err;
  const auto prediction = nlohmann::json::parse(again.out);
  const double searched = best["prediction"]["step_time_s"]["p50"];
  EXPECT_NEAR(prediction["step_time_s"]["p50"].get<double>() / searched, 1.0, 0.01);
}

TEST(SearchCommand, SaysWhenNothingFits) {
  const Ran ran = run({"search", "--model", "llama-3-405b", "--cluster", "dgx-h100:1",
                       "--sequence-length", "8192", "--global-batch", "16"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, HasSubstr("nothing fits"));
}

TEST(SearchCommand, GoesOnAfterAKill) {
  const Folder folder;
  const std::string whole = folder.path("whole.json"), resumed = folder.path("resumed.json"),
                    journal = folder.path("journal");
  ASSERT_EQ(search_with({"--json", whole}).code, 0);
  const pid_t child = fork();
  if (child == 0) {
    const std::string line = "exec " + command_line({"--journal", journal}) + " >/dev/null 2>&1";
    execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
    _exit(127);
  }
  // Kill it once something is on disk; a search that has ended by then is as good.
  for (int i = 0; i < 600 && read(journal).size() < 4000; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_EQ(search_with({"--journal", journal, "--json", resumed}).code, 0);
  EXPECT_EQ(read(resumed), read(whole));
}

// Open MPI itself leaks at its end, so leaks are not looked for there.
const std::string two_processes =
    "ASAN_OPTIONS=detect_leaks=0 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
    "mpirun --oversubscribe -n 2 ";

TEST(SearchCommand, GivesTheSameBytesUnderMpirun) {
  if (std::system("command -v mpirun >/dev/null") != 0) GTEST_SKIP() << "mpirun is not installed";
  const Folder folder;
  ASSERT_EQ(search_with({"--json", folder.path("alone.json")}).code, 0);
  const std::string line = two_processes + command_line({"--json", folder.path("together.json")}) +
                           " >" + folder.path("out") + " 2>&1";
  ASSERT_EQ(std::system(line.c_str()), 0) << read(folder.path("out"));
  EXPECT_EQ(read(folder.path("together.json")), read(folder.path("alone.json")));
}

TEST(SearchCommand, SaysAnErrorOnceUnderMpirun) {
  if (std::system("command -v mpirun >/dev/null") != 0) GTEST_SKIP() << "mpirun is not installed";
  const Folder folder;
  const std::string line =
      two_processes + command_line({"--objective", "speed"}) + " >" + folder.path("out") + " 2>&1";
  EXPECT_NE(std::system(line.c_str()), 0);
  const std::string out = read(folder.path("out"));
  const std::string message = "stepcast: --objective: must be one of";
  EXPECT_NE(out.find(message), std::string::npos) << out;
  EXPECT_EQ(out.find(message), out.rfind(message)) << out;
}

TEST(SearchCommand, WritesMarkdown) {
  const Ran ran = search_with({"--markdown", "-"});
  EXPECT_EQ(ran.code, answered) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("\n### against 1\n\n- 2: "));
  EXPECT_EQ(search_with({"--markdown", "-", "--json", "-"}).code, failed);
}

}  // namespace
}  // namespace stepcast::cli

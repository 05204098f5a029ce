#include "reports/score_rows.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "common/errors.hpp"

namespace stepcast {
namespace {

std::string refusal(const std::string& text) {
  ProfileLibrary profiles;
  try {
    static_cast<void>(read_score_jobs({"rows", text, ""}, profiles));
  } catch (const InputError& error) {
    return to_string(error.problems().front());
  }
  return "";
}

const std::string expected =
    "rows: must be a JSON array of published runs or field reports, Megatron golden values (an "
    "object with \"rows\"), or a CSV of GEMM, attention or collective times, found ";

TEST(ReadScoreJobs, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(refusal(""), expected + "an empty file");
  EXPECT_EQ(refusal("{\"a\": 1}"), expected + "an object");
  EXPECT_EQ(refusal("a,b\n1,2\n"), expected + "a table with the columns a, b");
}

TEST(ReadScoreJobs, SaysWhereJsonBreaks) {
  EXPECT_EQ(refusal("[1, 2"),
            "rows: line 1, column 6: not JSON: unexpected end of input; expected ']'");
}

TEST(ReadScoreJobs, RefusesPublishedRowsWithoutId) {
  EXPECT_EQ(refusal("[{\"a\": 1}]"),
            "rows: [0]: must be an object with an \"id\" (a published run)");
}

TEST(RunScoreJobs, KeepsTheOrderOfJobsAndCountsEach) {
  std::vector<ScoreJob> jobs;
  for (int i = 0; i < 100; ++i)
    jobs.push_back([i] {
      ScoredRow row;
      row.id = std::to_string(i);
      return std::vector<ScoredRow>(i % 2 == 0 ? 2U : 1U, row);
    });
  std::atomic<int> done{0};
  const auto rows = run_score_jobs(jobs, [&] { ++done; });
  EXPECT_EQ(done, 100);
  ASSERT_EQ(rows.size(), 150U);
  EXPECT_EQ(rows[0].id, "0");
  EXPECT_EQ(rows[1].id, "0");
  EXPECT_EQ(rows[2].id, "1");
  EXPECT_EQ(rows.back().id, "99");
}

}  // namespace
}  // namespace stepcast

#include "reports/search_journal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "common/errors.hpp"
#include "common/files.hpp"
#include "tests/reports/report_fixtures.hpp"

namespace stepcast {
namespace {

SearchRequest request() {
  SearchRequest request;
  request.bases.push_back(report_fixtures::small_run());
  return request;
}

UnitResult unit(std::size_t index) {
  UnitResult result;
  result.unit = index;
  result.counts = {7, 1, 2, 3, 1};
  Candidate candidate{.tensor = 2, .pipeline = 4, .virtual_stages = 3, .sequence_parallel = true};
  candidate.schedule = ScheduleKind::interleaved;
  candidate.sharding = Sharding::optimizer;
  candidate.order = RankOrder::pipeline_inside;
  candidate.split = StageSplit::count_ends;
  candidate.recompute = RecomputeKind::full;
  candidate.recompute_layers = 5;
  result.kept.push_back({candidate, {0.1 + 1.0 / 3.0, 1e9 / 7.0}, 8});
  return result;
}

class Journal : public testing::Test {
 protected:
  void SetUp() override {
    path_ =
        (std::filesystem::temp_directory_path() / ("stepcast-journal-" + std::to_string(getpid())))
            .string();
    std::filesystem::remove(path_);
  }
  void TearDown() override { std::filesystem::remove(path_); }
  std::string path_;
};

TEST_F(Journal, ResultsReadBackToTheSameBits) {
  const UnitResult result = unit(3), back = unit_result_of(unit_result_line(result));
  EXPECT_EQ(back.unit, 3U);
  EXPECT_EQ(back.counts, result.counts);
  ASSERT_EQ(back.kept.size(), 1U);
  EXPECT_EQ(back.kept[0].candidate, result.kept[0].candidate);
  EXPECT_EQ(back.kept[0].cost.time, result.kept[0].cost.time);
  EXPECT_EQ(back.kept[0].cost.memory, result.kept[0].cost.memory);
}

TEST_F(Journal, GoesOnWhereItWas) {
  {
    SearchJournal journal(path_, request());
    EXPECT_TRUE(journal.results().empty());
    journal.append(unit(3));
    journal.append(unit(1));
    journal.append(unit(3));
  }
  const std::vector<UnitResult> results = SearchJournal(path_, request()).results();
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].unit, 1U);
}

TEST_F(Journal, DropsALineThatWasCutOff) {
  {
    SearchJournal journal(path_, request());
    journal.append(unit(1));
    journal.append(unit(2));
  }
  const std::string whole = read_file(path_);
  write_file_atomically(path_, whole.substr(0, whole.size() - 20));
  SearchJournal again(path_, request());
  ASSERT_EQ(again.results().size(), 1U);
  again.append(unit(2));
  EXPECT_EQ(read_file(path_), whole);
}

TEST_F(Journal, RefusesAnotherSearchsFile) {
  { SearchJournal journal(path_, request()); }
  SearchRequest other = request();
  other.bases.front().training.global_batch *= 2;
  EXPECT_THROW(SearchJournal(path_, other), InputError);
}

TEST_F(Journal, RefusesADamagedFile) {
  { SearchJournal journal(path_, request()); }
  std::ofstream(path_, std::ios::app) << "not a result\nmore\n";
  EXPECT_THROW(SearchJournal(path_, request()), InputError);
}

TEST_F(Journal, KeyTellsRequestsApart) {
  SearchRequest other = request();
  other.limits.memory_margin = 0.1;
  EXPECT_NE(request_key(other), request_key(request()));
  other = request();
  other.pinned = {"tensor"};
  EXPECT_NE(request_key(other), request_key(request()));
  EXPECT_EQ(request_key(request()), request_key(request()));
}

}  // namespace
}  // namespace stepcast

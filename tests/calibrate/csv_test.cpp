#include "calibrate/csv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace stepcast::calibrate {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> messages(const CsvTable& table) {
  std::vector<std::string> lines;
  for (const Problem& problem : table.problems()) lines.push_back(to_string(problem));
  return lines;
}

TEST(CsvTable, ReadsCellsByColumn) {
  const CsvTable table("t.csv", "m,time_us,note\n128,2.5,fast\n256,1e3,\n");
  ASSERT_EQ(table.rows().size(), 2U);
  EXPECT_EQ(table.rows()[0].count("m"), 128);
  EXPECT_EQ(table.rows()[1].positive("time_us"), 1000.0);
  EXPECT_EQ(table.rows()[0].text("note"), "fast");
  EXPECT_TRUE(table.rows()[1].empty("note"));
  EXPECT_THAT(table.problems(), IsEmpty());
}

TEST(CsvTable, UnderstandsQuotesCommasAndLineBreaksInCells) {
  const CsvTable table("t.csv", "a,b\r\n\"x, y\",\"he said \"\"no\"\"\"\r\n\"two\nlines\",z\r\n");
  ASSERT_EQ(table.rows().size(), 2U);
  EXPECT_EQ(table.rows()[0].text("a"), "x, y");
  EXPECT_EQ(table.rows()[0].text("b"), "he said \"no\"");
  EXPECT_EQ(table.rows()[1].text("a"), "two\nlines");
  EXPECT_EQ(table.rows()[1].text("b"), "z");
}

TEST(CsvTable, CountsLinesAcrossCellsThatSpanThem) {
  const CsvTable table("t.csv", "a,b\n\"two\nlines\",1\nx,none\n");
  EXPECT_EQ(table.rows()[1].positive("b"), 1.0);
  EXPECT_THAT(messages(table),
              ElementsAre("t.csv: line 4, column b: must be a number > 0, found \"none\""));
}

TEST(CsvTable, DoesWithoutALastLineBreakAndSkipsBlankLines) {
  const CsvTable table("t.csv", "a\n\n1\n\n2");
  EXPECT_EQ(table.rows().size(), 2U);
  EXPECT_THAT(table.problems(), IsEmpty());
}

TEST(CsvTable, NamesFileLineAndColumnOfEveryBadCell) {
  const CsvTable table("t.csv", "m,us\n0,1.5\n1.5,-2\n12x,nan\n");
  for (const CsvRow& row : table.rows()) {
    (void)row.count("m");
    (void)row.positive("us");
  }
  EXPECT_THAT(messages(table),
              ElementsAre("t.csv: line 2, column m: must be a whole number >= 1, found \"0\"",
                          "t.csv: line 3, column m: must be a whole number >= 1, found \"1.5\"",
                          "t.csv: line 3, column us: must be a number > 0, found \"-2\"",
                          "t.csv: line 4, column m: must be a whole number >= 1, found \"12x\"",
                          "t.csv: line 4, column us: must be a number > 0, found \"nan\""));
}

TEST(CsvTable, LeavesOutLinesOfAnotherWidth) {
  const CsvTable table("t.csv", "a,b\n1\n1,2\n1,2,3\n");
  EXPECT_EQ(table.rows().size(), 1U);
  EXPECT_THAT(messages(table), ElementsAre("t.csv: line 2: must have 2 cells, found 1",
                                           "t.csv: line 4: must have 2 cells, found 3"));
}

TEST(CsvTable, ReportsAMissingColumnOnce) {
  CsvTable table("t.csv", "a\n1\n2\n");
  table.require({"a", "b"});
  for (const CsvRow& row : table.rows()) EXPECT_EQ(row.positive("b"), 1.0);
  EXPECT_THAT(messages(table), ElementsAre("t.csv: line 1: column b is missing"));
}

TEST(CsvTable, ReportsAColumnNamedTwice) {
  EXPECT_THAT(messages(CsvTable("t.csv", "a,a\n1,2\n")),
              ElementsAre("t.csv: line 1: column a is named twice"));
}

TEST(CsvTable, ReportsAnEmptyFile) {
  EXPECT_THAT(messages(CsvTable("t.csv", "")),
              ElementsAre("t.csv: is empty, expected a header line"));
}

TEST(CsvTable, ReportsAQuoteThatIsNeverClosed) {
  EXPECT_THAT(messages(CsvTable("t.csv", "a\n\"x\ny\n")),
              ElementsAre("t.csv: line 2: a quoted cell is never closed"));
}

TEST(CsvTable, GivesAnOptionalNumberOnlyWhereThereIsOne) {
  const CsvTable table("t.csv", "a,b\n1,\n");
  EXPECT_EQ(table.rows()[0].positive_if_given("a"), 1.0);
  EXPECT_EQ(table.rows()[0].positive_if_given("b"), std::nullopt);
}

TEST(CsvTable, NamesAFileThatIsNotThere) {
  EXPECT_THROW(CsvTable(std::filesystem::path("no/such.csv")), EnvironmentError);
}

}  // namespace
}  // namespace stepcast::calibrate

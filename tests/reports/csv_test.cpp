#include "reports/csv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/errors.hpp"

namespace stepcast {
namespace {

using testing::ElementsAre;

TEST(ParseCsv, KeysCellsByHeader) {
  const CsvTable table = parse_csv("t.csv", "m,n\n128,512\n256,1024\n");
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[1].text("n"), "1024");
  EXPECT_EQ(table.rows[0].line, 2);
  EXPECT_EQ(table.rows[0].text("absent"), "");
}

TEST(ParseCsv, UnderstandsQuotesAndCarriageReturns) {
  const CsvTable table = parse_csv("t.csv", "a,b\r\n\"x, \"\"y\"\"\",2\r\n");
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0].text("a"), "x, \"y\"");
  EXPECT_EQ(table.rows[0].text("b"), "2");
}

TEST(ParseCsv, CountsLinesThroughQuotedLineEnds) {
  const CsvTable table = parse_csv("t.csv", "a,b\n\"two\nlines\",1\nx,2\n");
  EXPECT_EQ(table.rows[1].line, 4);
}

TEST(ParseCsv, SkipsEmptyLinesAndNeedsNoFinalLineEnd) {
  EXPECT_EQ(parse_csv("t.csv", "a,b\n\n1,2\n\n3,4").rows.size(), 2U);
}

TEST(ParseCsv, ReportsEveryLineWithAnotherNumberOfFields) {
  try {
    static_cast<void>(parse_csv("t.csv", "a,b\n1\n1,2\n1,2,3\n"));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.problems(),
                ElementsAre(Problem{"t.csv", "line 2", "has 1 fields, the header has 2"},
                            Problem{"t.csv", "line 4", "has 3 fields, the header has 2"}));
  }
}

TEST(CsvRow, NumberWantsAWholeCell) {
  const CsvTable table = parse_csv("t.csv", "a,b,c,d\n1.5e3,2x,,inf\n");
  EXPECT_EQ(table.rows[0].number("a"), 1500.0);
  EXPECT_FALSE(table.rows[0].number("b"));
  EXPECT_FALSE(table.rows[0].number("c"));
  EXPECT_FALSE(table.rows[0].number("d"));
}

TEST(CsvRow, CountWantsAWholeNumberFromOne) {
  const CsvTable table = parse_csv("t.csv", "a,b,c,d\n128,0,1.5,1e300\n");
  EXPECT_EQ(table.rows[0].count("a"), 128);
  EXPECT_EQ(table.rows[0].count("b"), 0);
  EXPECT_EQ(table.rows[0].count("c"), 0);
  EXPECT_EQ(table.rows[0].count("d"), 0);
}

TEST(CsvTable, KnowsItsColumns) {
  const CsvTable table = parse_csv("t.csv", "a,b\n");
  EXPECT_TRUE(table.has({"b", "a"}));
  EXPECT_FALSE(table.has({"a", "c"}));
}

}  // namespace
}  // namespace stepcast

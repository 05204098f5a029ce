#include "common/csv_records.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

using Cells = std::vector<std::string>;

std::vector<CsvRecord> split(const std::string& text) {
  std::vector<Problem> problems;
  std::vector<CsvRecord> records = split_csv("a.csv", text, problems);
  EXPECT_TRUE(problems.empty());
  return records;
}

TEST(CsvRecords, QuotedCellsHoldCommasQuotesAndLineEnds) {
  const auto records = split("a,\"b, \"\"c\"\"\nd\",e\nf,g,h\n");
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].cells, (Cells{"a", "b, \"c\"\nd", "e"}));
  EXPECT_EQ(records[1].line, 3U);
}

TEST(CsvRecords, EndsLinesAtLfAndCrlfAndLeavesBlankOnesOut) {
  const auto records = split("a,b\r\n\r\n\nc,\n");
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].cells, (Cells{"a", "b"}));
  EXPECT_EQ(records[1].cells, (Cells{"c", ""}));
  EXPECT_EQ(records[1].line, 4U);
}

TEST(CsvRecords, NamesTheLineOfAQuoteThatIsNeverClosed) {
  std::vector<Problem> problems;
  (void)split_csv("a.csv", "a,b\nc,\"d\n", problems);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(to_string(problems[0]), "a.csv: line 2: a quoted cell is never closed");
}

TEST(CsvRecords, EmptyTextHasNoRecords) { EXPECT_TRUE(split("").empty()); }

}  // namespace
}  // namespace stepcast

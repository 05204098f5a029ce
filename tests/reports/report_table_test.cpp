#include "reports/report_table.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

const ReportTable table{{"term", "s"}, {{"GEMM", "4.00"}, {"bubble|x", "10.0"}}};

TEST(ReportTable, IsAlignedAsPlainText) {
  EXPECT_EQ(plain_text(table),
            "term         s\n"
            "GEMM      4.00\n"
            "bubble|x  10.0\n");
}

TEST(ReportTable, IsEscapedAsMarkdown) {
  EXPECT_EQ(markdown(table),
            "| term | s |\n"
            "| --- | ---: |\n"
            "| GEMM | 4.00 |\n"
            "| bubble\\|x | 10.0 |\n");
}

TEST(ReportTable, IsNothingWithoutRows) {
  EXPECT_EQ(plain_text({{"term"}, {}}), "");
  EXPECT_EQ(markdown({{"term"}, {}}), "");
}

}  // namespace
}  // namespace stepcast

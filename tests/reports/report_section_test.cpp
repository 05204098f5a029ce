#include "reports/report_section.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

std::vector<ReportSection> sections() {
  ReportSection full{.title = "Bytes", .lines = {"one", "two"}, .remarks = {"a: all"}};
  full.table = TextTable({{"what", Align::left}, {"GB"}});
  full.table.add_row({"a|b", "1.00"});
  return {{.lines = {"from a to b"}}, {.title = "Nothing"}, full};
}

TEST(ReportSection, IsPlainTextWithAnEmptyLineBetweenSections) {
  EXPECT_EQ(plain_text(sections()),
            "from a to b\n"
            "\n"
            "Bytes\n"
            "one\n"
            "two\n"
            "what    GB\n"
            "a|b   1.00\n"
            "  a: all\n");
}

TEST(ReportSection, IsMarkdownWithEverythingEscaped) {
  EXPECT_EQ(markdown(sections()),
            "from a to b\n"
            "\n"
            "### Bytes\n"
            "\n"
            "one\n"
            "\n"
            "two\n"
            "\n"
            "| what | GB |\n"
            "| --- | ---: |\n"
            "| a\\|b | 1.00 |\n"
            "\n"
            "- a: all\n");
}

TEST(ReportSection, OfNothingIsNothing) {
  EXPECT_EQ(plain_text(std::vector<ReportSection>{{.title = "Nothing"}}), "");
  EXPECT_EQ(markdown(std::vector<ReportSection>{{.title = "Nothing"}}), "");
}

}  // namespace
}  // namespace stepcast

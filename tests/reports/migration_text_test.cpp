#include "reports/migration_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/reports/migration_fixtures.hpp"

namespace stepcast {
namespace {

using namespace migration_fixtures;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(MigrationText, BeginsWithValidityAndTheForecasts) {
  EXPECT_THAT(migration_text(small_report()),
              StartsWith("from a.json: valid\n"
                         "to   b.json: valid\n"
                         "\n"
                         "forecast             before  after  change (%)\n"
                         "step time (s)          8.00   6.00       -25.0\n"
                         "peak allocated (GB)    40.0   30.0       -25.0\n"
                         "memory                 fits   fits\n"));
}

TEST(MigrationText, HasEverySection) {
  const std::string text = migration_text(small_report());
  for (const char* title :
       {"What changes", "Flags", "Tensor slices", "Bytes", "Time", "Optimizer state",
        "Random numbers", "Data order", "Loss", "Communicators", "Checklist"})
    EXPECT_THAT(text, HasSubstr(std::string("\n\n") + title + "\n")) << title;
  EXPECT_THAT(text, AllOf(HasSubstr("1. save\n2. stop\n"),
                          HasSubstr("from a checkpoint: 2.00 s at 8.00 GB/s of storage")));
}

// The stages keep their layers, so that the table of layers would say nothing.
TEST(MigrationText, LeavesOutLayersThatStay) {
  auto report = small_report();
  EXPECT_THAT(migration_text(report), Not(HasSubstr("\nLayers\n")));
  report.migration->to_layers = {{0}, {1, 2, 3}};
  EXPECT_THAT(migration_text(report), HasSubstr("\nLayers\n"
                                                "pipeline rank  layers before  after\n"
                                                "            0  0-1            0\n"
                                                "            1  2-3            1-3\n"));
}

TEST(MigrationText, ListsTheRulesThatASideBreaks) {
  EXPECT_EQ(migration_text(broken_report()),
            "from a.json: valid\n"
            "to   b.json: breaks a rule\n"
            "  parallel.tensor = 3: must divide the 8 attention heads\n");
}

TEST(MigrationText, IsMarkdownToo) {
  const std::string text = migration_markdown(small_report());
  EXPECT_THAT(text, StartsWith("from a.json: valid\n\nto   b.json: valid\n\n"
                               "| forecast | before | after | change (%) |\n"
                               "| --- | --- | --- | --- |\n"
                               "| step time (s) | 8.00 | 6.00 | -25.0 |\n"));
  EXPECT_THAT(text, AllOf(HasSubstr("\n### Tensor slices\n\n| tensor | "),
                          HasSubstr("\n### Checklist\n\n1. save\n\n2. stop\n")));
}

}  // namespace
}  // namespace stepcast

#include "reports/score_sources.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

TEST(SourceFamily, JoinsRowsOfOnePublication) {
  EXPECT_EQ(source_family("VIA-Research/vTrain data/ground_truth_multi.csv row 12 (MIT licence)"),
            "vTrain multi-node");
  EXPECT_EQ(source_family("VIA-Research/vTrain data/ground_truth_single.csv row 3 (MIT licence)"),
            "vTrain single-node");
  EXPECT_EQ(source_family("NVIDIA/dgxc-benchmarking v25.04: llama3.1/README.md"),
            "NVIDIA/dgxc-benchmarking");
}

TEST(SourceFamily, KeepsKindsOfMeasurementApart) {
  EXPECT_EQ(source_family("Korthikanti et al. 2022 (arXiv 2205.05198) Table 5, values as coded"),
            "Korthikanti 2022 Table 5");
  EXPECT_EQ(source_family("Korthikanti et al. 2022 Figure 1 (memory), values as coded"),
            "Korthikanti 2022 Figure 1");
}

TEST(SourceFamily, IsTheRepositoryOfRepositoryFiles) {
  EXPECT_EQ(source_family("someone/repo docs/table.md row 7 (MIT)"), "someone/repo");
  EXPECT_EQ(source_family("someone/repo README.md (26.08 container)"), "someone/repo");
}

TEST(SourceFamily, CutsOtherSourcesWhereRowsDiffer) {
  EXPECT_EQ(source_family("Some paper (arXiv 1) Table 4"), "Some paper");
  EXPECT_EQ(source_family("plain"), "plain");
  EXPECT_EQ(source_family(""), "");
}

}  // namespace
}  // namespace stepcast

#include "reports/field_ranking_table.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

namespace stepcast {
namespace {

nlohmann::json table() { return nlohmann::json::parse(field_ranking_table()); }

TEST(FieldRankingTable, EachEntryComparesAtLeastTwoSidesOrSaysWhyNot) {
  for (const auto& entry : table()) {
    EXPECT_TRUE(entry.contains("report"));
    if (entry.contains("skipped")) {
      EXPECT_FALSE(entry.contains("sides")) << entry;
      continue;
    }
    EXPECT_TRUE(entry.at("row").contains("model")) << entry;
    EXPECT_GE(entry.at("sides").size(), 2U) << entry;
  }
}

TEST(FieldRankingTable, SidesAreFastestFirst) {
  for (const auto& entry : table()) {
    double last = 1e9;
    for (const auto& side : entry.value("sides", nlohmann::json::array())) {
      if (!side.contains("speed")) continue;
      EXPECT_LT(side["speed"].get<double>(), last) << entry["report"];
      last = side["speed"].get<double>();
    }
  }
}

TEST(FieldRankingTable, NoCaseComesTwice) {
  std::set<std::string> seen;
  for (const auto& entry : table())
    EXPECT_TRUE(
        seen.insert(entry.at("report").get<std::string>() + "/" + entry.value("case", "")).second)
        << entry;
}

}  // namespace
}  // namespace stepcast

#include "reports/forecast_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace stepcast {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(Flatten, NamesLeavesByPath) {
  const auto document = nlohmann::json::parse(R"({"a": {"b": [1, "x"]}, "c": true, "d": 0.5})");
  EXPECT_THAT(flatten(document), ElementsAre(Pair("a.b[0]", "1"), Pair("a.b[1]", "x"),
                                             Pair("c", "true"), Pair("d", "0.5")));
}

TEST(Flatten, LeavesOutNullsAndEmptyContainers) {
  EXPECT_TRUE(flatten(nlohmann::json::parse(R"({"a": null, "b": {}, "c": []})")).empty());
}

}  // namespace
}  // namespace stepcast

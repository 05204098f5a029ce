#include "reports/json_numbers.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace stepcast {
namespace {

TEST(BytesJson, WritesWholeBytesAsIntegers) {
  EXPECT_EQ(bytes_json(Bytes{85899345920.0}).dump(), "85899345920");
  EXPECT_EQ(bytes_json(Bytes{0.0}).dump(), "0");
}

TEST(BytesJson, KeepsFractionsAndHugeValues) {
  EXPECT_EQ(bytes_json(Bytes{0.5}).dump(), "0.5");
  EXPECT_EQ(bytes_json(Bytes{1e300}).get<double>(), 1e300);
}

}  // namespace
}  // namespace stepcast

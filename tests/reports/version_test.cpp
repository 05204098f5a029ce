#include "reports/version.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace stepcast {
namespace {

TEST(ProductVersion, HasThreeNumbers) {
  EXPECT_THAT(std::string(product_version()), testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
}

}  // namespace
}  // namespace stepcast

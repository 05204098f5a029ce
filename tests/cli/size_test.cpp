#include "cli/size.hpp"

#include <gtest/gtest.h>

#include "common/errors.hpp"

namespace stepcast::cli {
namespace {

std::string problem_of(const std::string& text) {
  try {
    static_cast<void>(parse_size("-b", text));
  } catch (const InputError& error) {
    return to_string(error.problems().front());
  }
  return "";
}

TEST(ParseSize, TakesNcclTestsSuffixes) {
  EXPECT_EQ(parse_size("-b", "8"), Bytes{8});
  EXPECT_EQ(parse_size("-b", "1K"), Bytes{1024});
  EXPECT_EQ(parse_size("-b", "512k"), Bytes{524288});
  EXPECT_EQ(parse_size("-b", "1.5M"), Bytes{1572864});
  EXPECT_EQ(parse_size("-b", "16G"), Bytes{17179869184.0});
  EXPECT_EQ(parse_size("-b", "1T"), Bytes{1099511627776.0});
}

TEST(ParseSize, RefusesEverythingElse) {
  for (const char* text : {"", "K", "8Q", "8KB", "-8", "0", "0.3", "1.0001K", "inf", "nan", "1e300",
                           " 8", "8 ", "0x10", "16384T"})
    EXPECT_EQ(problem_of(text),
              "-b: must be a size of at least 1 byte such as 8, 512K, 64M or 16G (1K = 1024), "
              "found \"" +
                  std::string(text) + "\"");
}

TEST(ParseCount, TakesWholeNumbersFromTheLeast) {
  EXPECT_EQ(parse_count("--ranks", "2", 2), 2);
  for (const char* text : {"1", "", "x", "2.0", "99999999999999999999"})
    EXPECT_THROW(static_cast<void>(parse_count("--ranks", text, 2)), InputError) << text;
}

TEST(ParseNumberAbove, IsStrict) {
  EXPECT_EQ(parse_number_above("-f", "1.5", 1.0), 1.5);
  for (const char* text : {"1", "0", "-2", "", "x", "nan", "inf"})
    EXPECT_THROW(static_cast<void>(parse_number_above("-f", text, 1.0)), InputError) << text;
}

}  // namespace
}  // namespace stepcast::cli

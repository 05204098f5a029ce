#include "reports/text_table.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace stepcast {
namespace {

TEST(ThreeDigits, RoundsToThreeSignificantDigits) {
  EXPECT_EQ(three_digits(14.66), "14.7");
  EXPECT_EQ(three_digits(1.005), "1.00");
  EXPECT_EQ(three_digits(12345.0), "12300");
  EXPECT_EQ(three_digits(0.012345), "0.0123");
  EXPECT_EQ(three_digits(-3.456), "-3.46");
}

TEST(ThreeDigits, CarriesIntoTheNextDecade) {
  EXPECT_EQ(three_digits(9.999), "10.0");
  EXPECT_EQ(three_digits(999.6), "1000");
  EXPECT_EQ(three_digits(0.99999), "1.00");
}

TEST(ThreeDigits, UsesScientificFormOutsideTheReadableRange) {
  EXPECT_EQ(three_digits(1.5e7), "1.50e+07");
  EXPECT_EQ(three_digits(9.99e6), "9990000");
  EXPECT_EQ(three_digits(0.00001), "1.00e-05");
}

TEST(ThreeDigits, ShowsZeroAndWhatIsNotANumber) {
  EXPECT_EQ(three_digits(0.0), "0");
  EXPECT_EQ(three_digits(std::numeric_limits<double>::quiet_NaN()), "-");
  EXPECT_EQ(three_digits(std::numeric_limits<double>::infinity()), "-");
}

TEST(Percent, ScalesASharesByAHundred) {
  EXPECT_EQ(percent(0.4567), "45.7");
  EXPECT_EQ(signed_percent(0.0345), "+3.45");
  EXPECT_EQ(signed_percent(-0.0345), "-3.45");
  EXPECT_EQ(signed_percent(0.0), "0");
}

TEST(Gib, DividesByTwoToTheThirty) { EXPECT_EQ(gib(3.0 * 1073741824.0), "3.00"); }

TEST(JoinWords, PutsAndBeforeTheLast) {
  EXPECT_EQ(join_words({}), "");
  EXPECT_EQ(join_words({"a"}), "a");
  EXPECT_EQ(join_words({"a", "b", "c"}), "a, b and c");
}

TEST(TextTable, AlignsNumbersRightAndNamesLeft) {
  TextTable table({{"name", Align::left}, {"time (s)"}});
  table.add_row({"a", "1.00"});
  table.add_row({"longer", "12.0"});
  EXPECT_EQ(table.str(),
            "name    time (s)\n"
            "a           1.00\n"
            "longer      12.0\n");
}

TEST(TextTable, MeasuresCharactersNotBytes) {
  TextTable table({{"name", Align::left}, {"x"}});
  table.add_row({"\u00e9\u00e9\u00e9\u00e9\u00e9", "1"});  // five letters in ten bytes
  EXPECT_EQ(table.str(), "name   x\n\u00e9\u00e9\u00e9\u00e9\u00e9  1\n");
}

TEST(TextTable, LeavesNoBlanksAtLineEnds) {
  TextTable table({{"a", Align::left}, {"b", Align::left}});
  table.add_row({"1", ""});
  EXPECT_EQ(table.str(), "a  b\n1\n");
}

TEST(TextTable, GivesItsCells) {
  TextTable table({{"name", Align::left}, {"time (s)"}});
  table.add_row({"a", "1.00"});
  EXPECT_EQ(table.headers(), (std::vector<std::string>{"name", "time (s)"}));
  EXPECT_EQ(table.rows(), (std::vector<std::vector<std::string>>{{"a", "1.00"}}));
}

}  // namespace
}  // namespace stepcast

#include "models/python_json.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

TEST(PythonJson, TurnsBareWordsIntoNull) {
  EXPECT_EQ(with_python_numbers("[NaN, Infinity, -Infinity, 1]"), "[null, null, null, 1]");
}

TEST(PythonJson, LeavesStringsAlone) {
  const std::string text = R"({"NaN": "Infinity", "a\"NaN": "\\", "b": 1})";
  EXPECT_EQ(with_python_numbers(text), text);
}

TEST(PythonJson, FindsWordsAfterAnEscapedBackslash) {
  EXPECT_EQ(with_python_numbers(R"(["\\", NaN])"), R"(["\\", null])");
}

TEST(PythonJson, CopesWithTextThatEndsEarly) {
  EXPECT_EQ(with_python_numbers("[\"a\\"), "[\"a\\");
  EXPECT_EQ(with_python_numbers(""), "");
}

}  // namespace
}  // namespace stepcast

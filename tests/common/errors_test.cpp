#include "common/errors.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

TEST(Problem, JoinsFileWhereAndMessage) {
  EXPECT_EQ(to_string({"run.json", "parallel.tensor", "must be > 0, found 0"}),
            "run.json: parallel.tensor: must be > 0, found 0");
}

TEST(Problem, LeavesOutEmptyParts) {
  EXPECT_EQ(to_string({"", "--cluster", "missing"}), "--cluster: missing");
  EXPECT_EQ(to_string({"run.json", "", "must be an object, found 3"}),
            "run.json: must be an object, found 3");
  EXPECT_EQ(to_string({"", "", "missing"}), "missing");
}

TEST(InputError, HoldsEveryProblemAndShowsOnePerLine) {
  const InputError error({Problem{"a.json", "x", "missing"}, Problem{"", "--set", "missing"}});
  EXPECT_STREQ(error.what(), "a.json: x: missing\n--set: missing");
  ASSERT_EQ(error.problems().size(), 2U);
  EXPECT_EQ(error.problems()[1], (Problem{"", "--set", "missing"}));
}

TEST(Nearest, FindsTheSmallestEditDistance) {
  EXPECT_EQ(nearest("megatrn", {"torchtitan", "megatron", "deepspeed"}), "megatron");
  EXPECT_EQ(nearest("tensr", {"context", "tensor"}), "tensor");
  EXPECT_EQ(nearest("tensor", {"tensor"}), "tensor");
}

TEST(Nearest, PrefersTheSameLengthThenTheSameStartAmongEquals) {
  EXPECT_EQ(nearest("llama-3-7b", {"llama-3-70b", "llama-2-7b", "llama-3-8b"}), "llama-3-8b");
  EXPECT_EQ(nearest("llama-3-7b", {"llama-2-7b", "llama-3-8b"}), "llama-3-8b");
  EXPECT_EQ(nearest("llama-3-7b", {"llama-3-8b", "llama-2-7b"}), "llama-3-8b");
}

TEST(Nearest, IsEmptyWhenNothingIsWithinHalfTheWord) {
  EXPECT_EQ(nearest("abcd", {"abxy"}), "abxy");  // distance 2 of 4
  EXPECT_EQ(nearest("abcd", {"axyz"}), "");      // distance 3 of 4
  EXPECT_EQ(nearest("abcd", {}), "");
  EXPECT_EQ(nearest("", {"abcd"}), "");
}

TEST(Nearest, GivesUpOnVeryLongWords) {
  EXPECT_EQ(nearest(std::string(100000, 'x'), {std::string(100000, 'x')}), "");
}

TEST(CheckDeathTest, NamesTheExpression) {
  EXPECT_DEATH(STEPCAST_CHECK(1 + 1 == 3), "internal error: 1 \\+ 1 == 3 does not hold");
}

}  // namespace
}  // namespace stepcast

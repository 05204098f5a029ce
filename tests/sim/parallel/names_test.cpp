#include "sim/parallel/names.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

template <class Enum>
void expect_round_trip(std::size_t count) {
  EXPECT_EQ(words_of<Enum>().size(), count);
  for (const auto& [value, word] : name_table<Enum>()) {
    EXPECT_EQ(name_of(value), word);
    EXPECT_EQ(value_named<Enum>(word), value) << word;
  }
}

TEST(Names, EveryEnumeratorHasOneWordAndBack) {
  expect_round_trip<Framework>(3);
  expect_round_trip<ScheduleKind>(9);
  expect_round_trip<ContextKind>(4);
  expect_round_trip<Sharding>(5);
  expect_round_trip<RecomputeKind>(3);
  expect_round_trip<AttentionKind>(2);
  expect_round_trip<DataType>(4);
}

TEST(Names, AnUnknownWordIsNoValue) {
  EXPECT_EQ(value_named<Framework>("megatron-lm"), std::nullopt);
  EXPECT_EQ(value_named<ScheduleKind>(""), std::nullopt);
}

}  // namespace
}  // namespace stepcast

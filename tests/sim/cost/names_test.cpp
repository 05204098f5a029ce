#include "sim/cost/names.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace stepcast {
namespace {

template <class Set>
void expect_distinct_names(const Set& set) {
  std::set<std::string_view> names;
  for (const auto member : set) {
    EXPECT_FALSE(name_of(member).empty());
    EXPECT_TRUE(names.insert(name_of(member)).second) << name_of(member);
    EXPECT_EQ(named(set, name_of(member)), member);
  }
}

TEST(Names, AreDistinctAndReadBack) {
  expect_distinct_names(all_data_types);
  expect_distinct_names(all_attention_kernels);
  expect_distinct_names(all_attention_passes);
  expect_distinct_names(all_memory_kernels);
  expect_distinct_names(all_collective_ops);
}

TEST(Names, HaveNoMemberForAnUnknownWord) {
  EXPECT_FALSE(named(all_collective_ops, "alltoall").has_value());
}

TEST(CollectiveOpNamed, KnowsBothSpellings) {
  EXPECT_EQ(collective_op_named("all_to_all"), CollectiveOp::all_to_all);
  EXPECT_EQ(collective_op_named("alltoall"), CollectiveOp::all_to_all);
  EXPECT_EQ(collective_op_named("sendrecv"), CollectiveOp::send_recv);
  EXPECT_EQ(collective_op_named("reduce_scatter"), CollectiveOp::reduce_scatter);
  EXPECT_FALSE(collective_op_named("allreduce").has_value());
}

}  // namespace
}  // namespace stepcast

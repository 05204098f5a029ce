#include "sim/engine/stuck.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace stepcast {
namespace {

constexpr Interval ended{SimTime{0}, SimTime{1}}, not_ended{SimTime{-1}, SimTime{-1}};
const std::vector<std::string> names{"compute 0", "comm 0"};

TaskTable table_of_two_streams() {
  TaskTable table;
  table.add_stream();
  table.add_stream();
  return table;
}

// Stream 0 has tasks 0 and 1, stream 1 has task 2; only 0 ended. 1 waits for 2 and 2 for 1.
TEST(Stuck, NamesTasksThatAreNextInLineAndWhatTheyWaitFor) {
  TaskTable table = table_of_two_streams();
  const std::array<StreamId, 1> compute{StreamId{0}}, comm{StreamId{1}};
  table.add({.streams = compute});
  table.add({.streams = compute});
  table.add({.streams = comm});
  table.add({.streams = comm});
  table.add_dependency(1, 2);
  table.add_dependency(2, 1);
  EXPECT_EQ(describe_stuck(table, names, std::array{ended, not_ended, not_ended, not_ended}),
            "3 of 4 tasks cannot run; task 1 on 'compute 0' waits for task 2 on 'comm 0'; "
            "task 2 on 'comm 0' waits for task 1 on 'compute 0'");
}

TEST(Stuck, NamesAllStreamsOfARendezvous) {
  TaskTable table = table_of_two_streams();
  const std::array<StreamId, 2> both{StreamId{0}, StreamId{1}};
  table.add({});
  table.add({.streams = both});
  table.add_dependency(1, 0);
  EXPECT_EQ(describe_stuck(table, names, std::array{not_ended, not_ended}),
            "2 of 2 tasks cannot run; task 0 is left no share of its resources; "
            "task 1 on 'compute 0' + 'comm 0' waits for task 0");
}

TEST(Stuck, NamesAtMostFive) {
  TaskTable table;
  for (std::uint32_t i = 0; i < 8; ++i) table.add({});
  for (std::uint32_t i = 0; i < 8; ++i) table.add_dependency(i, (i + 1) % 8);
  EXPECT_EQ(describe_stuck(table, {}, std::vector(8, not_ended)),
            "8 of 8 tasks cannot run; task 0 waits for task 1; task 1 waits for task 2; "
            "task 2 waits for task 3; task 3 waits for task 4; task 4 waits for task 5");
}

}  // namespace
}  // namespace stepcast

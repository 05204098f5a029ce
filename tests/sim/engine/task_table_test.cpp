#include "sim/engine/task_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace stepcast {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::array<StreamId, 1> stream_a{StreamId{0}}, stream_b{StreamId{1}};
constexpr std::array<StreamId, 2> both{StreamId{0}, StreamId{1}};

TaskTable table_with(int streams, int resources) {
  TaskTable table;
  for (int i = 0; i < streams; ++i) table.add_stream();
  for (int i = 0; i < resources; ++i) table.add_resource();
  return table;
}

TEST(TaskTable, MakesATaskWaitForTheOneBeforeItOnEachStream) {
  TaskTable table = table_with(2, 0);
  table.add({.streams = stream_a});
  table.add({.streams = stream_b});
  table.add({.streams = both});
  table.add({.streams = stream_a});
  EXPECT_THAT(table.before(0), IsEmpty());
  EXPECT_THAT(table.before(2), ElementsAre(0, 1));
  EXPECT_THAT(table.before(3), ElementsAre(2));
  EXPECT_THAT(table.streams(2), ElementsAre(0, 1));
}

TEST(TaskTable, ListsSuccessorsInOrderOfTask) {
  TaskTable table = table_with(1, 0);
  const std::array<TaskId, 1> first{TaskId{0}};
  table.add({.streams = stream_a});
  table.add({.after = first});
  table.add({.streams = stream_a});
  table.add({});
  table.add_dependency(3, 0);
  table.add_dependency(1, 3);
  const TaskTable::Successors successors = table.successors();
  EXPECT_THAT(successors.of(0), ElementsAre(1, 2, 3));
  EXPECT_THAT(successors.of(1), IsEmpty());
  EXPECT_THAT(successors.of(3), ElementsAre(1));
  EXPECT_THAT(table.waits(), ElementsAre(0, 2, 1, 1));
}

TEST(TaskTable, AddsUpUsagesOfOneResourceAndDropsEmptyOnes) {
  TaskTable table = table_with(0, 3);
  const std::vector<Usage> usage{
      {ResourceId{2}, 1.0}, {ResourceId{1}, 0.0}, {ResourceId{0}, 2.0}, {ResourceId{2}, 4.0}};
  table.add({.usage = usage});
  table.add({.usage = usage});
  const auto [begin, end] = table.usage_range(1);
  ASSERT_EQ(end - begin, 2u);
  EXPECT_EQ(table.usages()[begin].resource, ResourceId{2});
  EXPECT_EQ(table.usages()[begin].amount, 5.0);
  EXPECT_EQ(table.usages()[begin + 1].resource, ResourceId{0});
}

TEST(TaskTable, CountsTheDeviceOfAComputeTaskAsAUsage) {
  TaskTable table = table_with(0, 1);
  table.add({.device = ResourceId{0}});
  table.add({.device = ResourceId{0}, .held_share = 0.25, .speed_beside_compute = 0.5});
  EXPECT_EQ(table.usage_range(0), std::pair(0u, 1u));
  EXPECT_EQ(table.usages()[0].amount, 1.0);
  EXPECT_EQ(table.usage_range(1), std::pair(1u, 1u));
  EXPECT_EQ(table.row(0).resident, TaskTable::none);
  EXPECT_EQ(table.resident(table.row(1)).held_share, 0.25);
  EXPECT_EQ(table.resident(table.row(1)).speed_beside_compute, 0.5);
}

TEST(TaskTableDeathTest, RefusesWhatNoTaskCanBe) {
  TaskTable table = table_with(1, 1);
  const std::array<StreamId, 2> twice{StreamId{0}, StreamId{0}};
  const std::array<TaskId, 1> itself{TaskId{0}};
  const std::array<Usage, 1> unknown{{{ResourceId{9}, 1.0}}}, negative{{{ResourceId{0}, -1.0}}};
  EXPECT_DEATH(table.add({.streams = twice}), "last != id");
  EXPECT_DEATH(table.add({.after = itself}), "before.index < id");
  EXPECT_DEATH(table.add({.usage = unknown}), "resource.index");
  EXPECT_DEATH(table.add({.usage = negative}), "amount >= 0.0");
  EXPECT_DEATH(table.add({.held_share = 0.5}), "task.device");
  EXPECT_DEATH(table.add({.device = ResourceId{0}, .held_share = 1.5}), "held_share <= 1.0");
  EXPECT_DEATH(table.add_dependency(0, 0), "task < size");
}

}  // namespace
}  // namespace stepcast

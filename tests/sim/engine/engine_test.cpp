#include "sim/engine/engine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace stepcast {
namespace {

constexpr std::int64_t ps_per_s = 1'000'000'000'000;

SimTime seconds(double s) { return after(SimTime{}, Seconds{s}); }

std::string message_of(Engine& engine) {
  try {
    static_cast<void>(engine.run());
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Engine, EmptyRunEndsAtZero) {
  Engine engine;
  const RunReport report = engine.run();
  EXPECT_EQ(report.end, SimTime{});
  EXPECT_EQ(report.events, 0u);
}

TEST(Engine, TaskAloneTakesLatencyPlusDurationRoundedEach) {
  Engine engine;
  const StreamId stream = engine.add_stream("compute");
  const ResourceId link = engine.add_resource("link", 50e9);
  // 1.4 ps + 2.4 ps: each rounds down, the sum would round up.
  engine.add_task({.streams = {stream}, .latency = Seconds{1.4e-12}, .duration = Seconds{2.4e-12}});
  engine.add_task({.streams = {stream},
                   .latency = Seconds{5e-6},
                   .duration = Seconds{1.0 / 3.0},
                   .usage = {{link, 50e9}}});
  const RunReport report = engine.run();
  EXPECT_EQ(report.tasks[0], (Interval{SimTime{0}, SimTime{3}}));
  EXPECT_EQ(report.tasks[1].end, SimTime{3 + 5'000'000 + 333'333'333'333});
}

TEST(Engine, TasksOnAStreamRunInTheOrderAdded) {
  Engine engine;
  const StreamId stream = engine.add_stream("compute");
  engine.add_task({.streams = {stream}, .duration = Seconds{1.0}});
  engine.add_task({.streams = {stream}, .duration = Seconds{0.0}});
  engine.add_task({.streams = {stream}, .duration = Seconds{2.0}});
  const RunReport report = engine.run();
  EXPECT_EQ(report.tasks[1], (Interval{seconds(1), seconds(1)}));
  EXPECT_EQ(report.tasks[2], (Interval{seconds(1), seconds(3)}));
  EXPECT_EQ(report.end, seconds(3));
}

TEST(Engine, WaitsForDependenciesOfEitherDirection) {
  Engine engine;
  const StreamId a = engine.add_stream("a");
  const StreamId b = engine.add_stream("b");
  const TaskId first = engine.add_task({.streams = {a}, .duration = Seconds{1.0}});
  const TaskId late = engine.add_task({.streams = {b}, .after = {first}, .duration = Seconds{1.0}});
  const TaskId middle = engine.add_task({.streams = {a}, .duration = Seconds{5.0}});
  engine.add_dependency(late, middle);  // an earlier task waits for a later one
  const RunReport report = engine.run();
  EXPECT_EQ(report.tasks[late.index], (Interval{seconds(6), seconds(7)}));
}

TEST(Engine, RendezvousStartsWhenTheLastPartyArrives) {
  Engine engine;
  const StreamId a = engine.add_stream("a");
  const StreamId b = engine.add_stream("b");
  engine.add_task({.streams = {a}, .duration = Seconds{1.0}});
  engine.add_task({.streams = {b}, .duration = Seconds{4.0}});
  const TaskId meet = engine.add_task({.streams = {a, b}, .duration = Seconds{1.0}});
  const TaskId next = engine.add_task({.streams = {a}, .duration = Seconds{1.0}});
  const RunReport report = engine.run();
  EXPECT_EQ(report.tasks[meet.index], (Interval{seconds(4), seconds(5)}));
  EXPECT_EQ(report.tasks[next.index].start, seconds(5));
}

TEST(Engine, TasksWithoutAStreamStartAsSoonAsTheyMay) {
  Engine engine;
  const TaskId first = engine.add_task({.duration = Seconds{1.0}});
  engine.add_task({.duration = Seconds{1.0}});
  engine.add_task({.after = {first}, .duration = Seconds{1.0}});
  EXPECT_EQ(engine.run().end, seconds(2));
}

TEST(Engine, ZeroDurationChainsEndAtOneInstant) {
  Engine engine;
  const StreamId stream = engine.add_stream("host");
  const ResourceId link = engine.add_resource("link", 1.0);
  for (int i = 0; i < 1000; ++i) engine.add_task({.streams = {stream}, .usage = {{link, 1.0}}});
  const RunReport report = engine.run();
  EXPECT_EQ(report.end, SimTime{});
  EXPECT_EQ(report.events, 2000u);
  EXPECT_EQ(report.resources[0].peak_utilisation, 0.0);
}

TEST(Engine, ViewsAddTheSameTasks) {
  Engine engine;
  const std::vector<StreamId> streams{engine.add_stream("a")};
  const std::vector<Usage> usage{{engine.add_resource("link", 1.0), 2.0}};
  const std::vector<TaskId> first{
      engine.add({.streams = streams, .duration = Seconds{1.0}, .usage = usage})};
  engine.add({.after = first, .latency = Seconds{1.0}, .duration = Seconds{1.0}});
  EXPECT_EQ(engine.task_count(), 2u);
  EXPECT_EQ(engine.run().end, seconds(4));
}

TEST(Engine, RunsAgainWithTheSameAnswer) {
  Engine engine;
  const ResourceId link = engine.add_resource("link", 1.0);
  for (int i = 1; i < 20; ++i)
    engine.add_task({.duration = Seconds{1.0 / i}, .usage = {{link, 0.3 * i}}});
  const RunReport first = engine.run();
  const RunReport second = engine.run();
  EXPECT_EQ(first.tasks, second.tasks);
  EXPECT_EQ(first.events, second.events);
}

TEST(Engine, CountsStartsEndsAndRateChanges) {
  Engine engine;
  const ResourceId link = engine.add_resource("link", 1.0);
  engine.add_task({.duration = Seconds{1.0}, .usage = {{link, 1.0}}});
  engine.add_task({.duration = Seconds{3.0}, .usage = {{link, 1.0}}});
  // Two starts, two ends; the longer one speeds up once, at the end of the shorter one.
  EXPECT_EQ(engine.run().events, 5u);
}

TEST(Engine, NamesTheTasksOfACycle) {
  Engine engine;
  const StreamId compute = engine.add_stream("compute 0");
  const StreamId copy = engine.add_stream("copy 0");
  engine.add_task({.streams = {compute}, .duration = Seconds{1.0}});
  const TaskId a = engine.add_task({.streams = {compute}, .duration = Seconds{1.0}});
  const TaskId b = engine.add_task({.streams = {copy}, .after = {a}, .duration = Seconds{1.0}});
  engine.add_dependency(a, b);
  EXPECT_EQ(message_of(engine),
            "2 of 3 tasks cannot run; task 1 on 'compute 0' waits for task 2 on 'copy 0'; "
            "task 2 on 'copy 0' waits for task 1 on 'compute 0'");
}

TEST(Engine, MovesKeepTheirTasks) {
  Engine engine;
  engine.add_task({.duration = Seconds{2.0}});
  Engine moved = std::move(engine);
  EXPECT_EQ(moved.run().end.ps, 2 * ps_per_s);
}

TEST(Engine, RefusesCostsThatAreNoTime) {
  Engine engine;
  EXPECT_THROW(engine.add_task({.duration = Seconds{-1.0}}), std::domain_error);
  EXPECT_THROW(engine.add_task({.latency = Seconds{std::nan("")}}), std::domain_error);
}

}  // namespace
}  // namespace stepcast

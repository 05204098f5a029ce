// What holds for every graph, shown on many random ones.
//
// "More capacity is never slower" is not among the things that hold for every graph: with
// dependencies, a task that starts sooner can take from another one what that had to itself
// (Graham's anomalies). It is tested where it can be proven; each test says why.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "sim/engine/engine.hpp"
#include "tests/sim/engine/naive_engine.hpp"

namespace stepcast {
namespace {

using testing_support::Graph;
using testing_support::NaiveEngine;

class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(engine_() % end); }
  bool one_in(std::uint32_t n) { return below(n) == 0; }
  Seconds micros(std::uint32_t end) { return microseconds(below(end)); }

 private:
  std::mt19937 engine_;
};

Task random_task(Random& random, const Graph& graph) {
  Task task;
  const auto id = static_cast<std::uint32_t>(graph.tasks.size());
  for (std::uint32_t s = 0; s < graph.streams; ++s)
    if (random.one_in(5)) task.streams.push_back(StreamId{s});
  for (std::uint32_t i = 0; i < random.below(3) && id > 0; ++i)
    task.after.push_back(TaskId{id - 1 - random.below(std::min(id, 8u))});
  if (random.one_in(2)) task.latency = random.micros(4);
  task.duration = random.micros(20);
  const auto resources = static_cast<std::uint32_t>(graph.capacities.size());
  for (std::uint32_t r = graph.devices; r < resources; ++r)
    if (random.one_in(3)) task.usage.push_back({ResourceId{r}, 0.25 * (1 + random.below(8))});
  if (random.one_in(2)) return task;
  task.device = ResourceId{random.below(graph.devices)};
  if (random.one_in(3)) {
    task.held_share = random.one_in(2) ? 0.25 : 0.1;
    if (random.one_in(2)) task.speed_beside_compute = 0.8;
  }
  return task;
}

Graph random_graph(std::uint32_t seed) {
  Random random(seed);
  Graph graph{.streams = 6, .capacities = {1.0, 1.0}, .devices = 2, .tasks = {}, .late = {}};
  for (int i = 0; i < 4; ++i) graph.capacities.push_back(1.0 + 0.5 * random.below(3));
  for (std::uint32_t t = 0; t < 50; ++t) {
    graph.tasks.push_back(random_task(random, graph));
    if (t > 0 && random.one_in(6)) graph.late.push_back({t, random.below(t)});
  }
  return graph;
}

Engine engine_of(const Graph& graph) {
  Engine engine;
  for (std::uint32_t s = 0; s < graph.streams; ++s) engine.add_stream("stream");
  for (std::uint32_t r = 0; r < graph.capacities.size(); ++r) {
    if (r < graph.devices)
      engine.add_device("device");
    else
      engine.add_resource("link", graph.capacities[r]);
  }
  for (const Task& task : graph.tasks) engine.add_task(task);
  for (const auto& [task, after] : graph.late) engine.add_dependency(TaskId{task}, TaskId{after});
  return engine;
}

RunReport run(const Graph& graph) { return engine_of(graph).run(); }

constexpr std::uint32_t graphs = 150;

// Each event rounds to a picosecond, and a graph has at most a few hundred that can add up.
constexpr double rounding_s = 1e-9;

TEST(EngineProperty, AgreesWithAPlainModelOfItsOwnDefinition) {
  for (std::uint32_t seed = 0; seed < graphs; ++seed) {
    const Graph graph = random_graph(seed);
    const RunReport report = run(graph);
    NaiveEngine naive(graph);
    const std::vector<NaiveEngine::Span> spans = naive.run();
    for (std::size_t t = 0; t < spans.size(); ++t) {
      ASSERT_NEAR(to_seconds(report.tasks[t].start).value(), spans[t].start, rounding_s)
          << "task " << t << " of graph " << seed;
      ASSERT_NEAR(to_seconds(report.tasks[t].end).value(), spans[t].end, rounding_s)
          << "task " << t << " of graph " << seed;
      ASSERT_NEAR(spans[t].work, graph.tasks[t].duration.value(), 1e-14);
    }
    ASSERT_LE(naive.worst_load(), 1.0 + 1e-9);
  }
}

TEST(EngineProperty, GivesTheSameBytesAgain) {
  for (std::uint32_t seed = 0; seed < graphs; ++seed) {
    const Graph graph = random_graph(seed);
    const RunReport first = run(graph);
    const RunReport second = run(graph);
    ASSERT_EQ(first.tasks, second.tasks);
    ASSERT_EQ(first.events, second.events);
    for (std::size_t r = 0; r < first.resources.size(); ++r) {
      ASSERT_EQ(first.resources[r].mean_utilisation, second.resources[r].mean_utilisation);
      ASSERT_EQ(first.resources[r].peak_utilisation, second.resources[r].peak_utilisation);
    }
  }
}

TEST(EngineProperty, NoTaskIsFasterThanAlone) {
  for (std::uint32_t seed = 0; seed < graphs; ++seed) {
    const Graph graph = random_graph(seed);
    const RunReport report = run(graph);
    for (std::size_t t = 0; t < graph.tasks.size(); ++t)
      ASSERT_GE(report.tasks[t].end, after(after(report.tasks[t].start, graph.tasks[t].latency),
                                           graph.tasks[t].duration));
  }
}

TEST(EngineProperty, TasksOnAStreamAreInOrderAndDoNotOverlap) {
  for (std::uint32_t seed = 0; seed < graphs; ++seed) {
    const Graph graph = random_graph(seed);
    const RunReport report = run(graph);
    std::vector<SimTime> busy_until(graph.streams);
    for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
      for (const StreamId stream : graph.tasks[t].streams) {
        ASSERT_GE(report.tasks[t].start, busy_until[stream.index]);
        busy_until[stream.index] = report.tasks[t].end;
      }
      for (const TaskId before : graph.tasks[t].after)
        ASSERT_GE(report.tasks[t].start, report.tasks[before.index].end);
    }
    for (const auto& [task, after] : graph.late)
      ASSERT_GE(report.tasks[task].start, report.tasks[after].end);
  }
}

// Whatever lies wholly within a window of time went through the resource in that window.
TEST(EngineProperty, NoResourceServesMoreThanItsCapacityInAnyWindow) {
  for (std::uint32_t seed = 0; seed < graphs; ++seed) {
    const Graph graph = random_graph(seed);
    const RunReport report = run(graph);
    for (std::uint32_t r = graph.devices; r < graph.capacities.size(); ++r) {
      for (const Interval& first : report.tasks) {
        std::vector<std::pair<SimTime, double>> served;  // by end, of those that begin later
        for (std::size_t t = 0; t < graph.tasks.size(); ++t)
          for (const Usage& usage : graph.tasks[t].usage)
            if (usage.resource.index == r && report.tasks[t].start >= first.start)
              served.emplace_back(report.tasks[t].end,
                                  usage.amount * graph.tasks[t].duration.value());
        std::ranges::sort(served);
        double sum = 0.0;
        for (const auto& [end, amount] : served) {
          sum += amount;
          const double window_s = to_seconds(SimTime{end.ps - first.start.ps}).value();
          ASSERT_LE(sum, graph.capacities[r] * (window_s + rounding_s)) << seed;
        }
      }
      ASSERT_LE(report.resources[r].peak_utilisation, 1.0 + 1e-9);
      ASSERT_LE(report.resources[r].mean_utilisation, report.resources[r].peak_utilisation + 1e-9);
    }
  }
}

TEST(EngineProperty, ReportsTheWorkDoneAsMeanUtilisation) {
  for (std::uint32_t seed = 0; seed < graphs; ++seed) {
    const Graph graph = random_graph(seed);
    const RunReport report = run(graph);
    std::vector<double> served(graph.capacities.size());
    for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
      const Task& task = graph.tasks[t];
      for (const Usage& usage : task.usage)
        served[usage.resource.index] += usage.amount * task.duration.value();
      const Interval& at = report.tasks[t];
      if (task.device)
        served[task.device->index] +=
            task.held_share > 0.0
                ? task.held_share * to_seconds(SimTime{at.end.ps - at.start.ps}).value()
                : task.duration.value();
    }
    for (std::size_t r = 0; r < served.size(); ++r)
      ASSERT_NEAR(report.resources[r].mean_utilisation,
                  served[r] / graph.capacities[r] / to_seconds(report.end).value(), 1e-9);
  }
}

TEST(EngineProperty, OrderOfAddingResourcesDoesNotMatter) {
  for (std::uint32_t seed = 0; seed < graphs; ++seed) {
    const Graph graph = random_graph(seed);
    Graph turned = graph;  // links in the opposite order
    const auto last = static_cast<std::uint32_t>(graph.capacities.size() - 1);
    std::reverse(turned.capacities.begin() + turned.devices, turned.capacities.end());
    for (Task& task : turned.tasks)
      for (Usage& usage : task.usage)
        usage.resource.index = last - (usage.resource.index - turned.devices);
    ASSERT_EQ(run(turned).tasks, run(graph).tasks) << seed;
  }
}

TEST(EngineProperty, UnrelatedTasksDoNotMatter) {
  for (std::uint32_t seed = 0; seed < graphs; ++seed) {
    const Graph graph = random_graph(seed);
    Engine engine = engine_of(graph);
    const ResourceId elsewhere = engine.add_resource("elsewhere", 1.0);
    for (int i = 1; i < 20; ++i)
      engine.add_task({.duration = microseconds(i), .usage = {{elsewhere, 0.3}}});
    RunReport report = engine.run();
    report.tasks.resize(graph.tasks.size());
    ASSERT_EQ(report.tasks, run(graph).tasks) << seed;
  }
}

void expect_no_task_later(const RunReport& more, const RunReport& less, std::uint32_t seed) {
  for (std::size_t t = 0; t < more.tasks.size(); ++t)
    ASSERT_LE(more.tasks[t].end.ps, less.tasks[t].end.ps + 100) << "task " << t << " of " << seed;
}

// Independent tasks from time zero on one link. Let c' >= c. As long as those unfinished under c'
// are a subset of those unfinished under c, the common level is no lower under c' (fewer tasks,
// more capacity), so each of them is no slower; so the subset stays one, by induction over events.
TEST(EngineProperty, MoreOfTheOnlyBottleneckIsNeverSlower) {
  for (std::uint32_t seed = 0; seed < graphs; ++seed) {
    Random random(seed);
    Graph graph{.streams = 0, .capacities = {1.0}, .devices = 0, .tasks = {}, .late = {}};
    for (int t = 0; t < 20; ++t)
      graph.tasks.push_back({.duration = random.micros(50),
                             .usage = {{ResourceId{0}, 0.1 * (1 + random.below(12))}}});
    Graph more = graph;
    more.capacities[0] = 1.0 + 0.1 * (1 + random.below(20));
    expect_no_task_later(run(more), run(graph), seed);
  }
}

// Equal amounts per unit of work: a chain is then one long task, and the proof above applies.
TEST(EngineProperty, MoreOfALinkUnderEqualChainsIsNeverSlower) {
  for (std::uint32_t seed = 0; seed < graphs; ++seed) {
    Random random(seed);
    Graph graph{.streams = 5, .capacities = {1.0}, .devices = 0, .tasks = {}, .late = {}};
    for (int t = 0; t < 40; ++t)
      graph.tasks.push_back({.streams = {StreamId{random.below(5)}},
                             .duration = random.micros(50),
                             .usage = {{ResourceId{0}, 0.7}}});
    Graph more = graph;
    more.capacities[0] = 1.0 + 0.1 * (1 + random.below(20));
    expect_no_task_later(run(more), run(graph), seed);
  }
}

// Any dependencies, but each resource belongs to one stream: a task then takes latency + duration
// * max(1, amount / capacity) whatever else runs, and ends are longest paths over these times.
TEST(EngineProperty, MoreOfUnsharedResourcesIsNeverSlowerForAnyGraph) {
  for (std::uint32_t seed = 0; seed < graphs; ++seed) {
    Graph graph = random_graph(seed);
    Random random(seed);
    graph.devices = 0;
    graph.capacities.assign(graph.streams, 1.0);
    for (Task& task : graph.tasks) {
      task.device.reset();
      task.held_share = 0.0;
      task.usage.clear();
      for (const StreamId stream : task.streams)
        task.usage.push_back({ResourceId{stream.index}, 0.25 * (1 + random.below(10))});
    }
    Graph more = graph;
    for (double& capacity : more.capacities) capacity += 0.25 * random.below(6);
    expect_no_task_later(run(more), run(graph), seed);
  }
}

}  // namespace
}  // namespace stepcast

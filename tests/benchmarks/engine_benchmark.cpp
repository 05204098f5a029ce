// Speed of the engine alone. `tasks/s` counts task executions per CPU second, adding included;
// peers' figures for the same jobs are in the labels.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/units.hpp"
#include "sim/engine/engine.hpp"

namespace stepcast {
namespace {

enum class Contention { none, sm_and_link };

// Micro-batches flow through 16 stages. Per stage and micro-batch: ten kernels; after the fifth an
// all-reduce beside the next two (about 20 % of the time), which holds SMs and, like the send to
// the next stage, uses the stage's link.
struct Pipeline {
  static constexpr std::uint32_t stages = 16;
  static constexpr std::uint32_t kernels = 10;

  explicit Pipeline(Contention kind) : contention(kind) {
    for (std::uint32_t s = 0; s < stages; ++s) {
      devices[s] = engine.add_device("gpu");
      links[s] = engine.add_resource("link", 50e9);
      compute[s] = engine.add_stream("compute");
      reduce[s] = engine.add_stream("reduce");
      send[s] = engine.add_stream("send");
    }
  }
  void add_stage(std::uint32_t s, std::uint32_t micro_batch, std::vector<TaskId>& arrived) {
    const Seconds kernel = microseconds(90.0 + (s * 7 + micro_batch * 3) % 20);
    const bool contended = contention == Contention::sm_and_link;
    const std::array<Usage, 1> wire{{{links[s], contended ? 40e9 : 20e9}}};
    TaskId last = arrived[s];
    for (std::uint32_t k = 0; k < kernels; ++k) {
      const bool has_input = k > 0 || s > 0;
      last = engine.add({.streams = {&compute[s], 1},
                         .after = {&last, has_input ? 1u : 0u},
                         .duration = kernel,
                         .device = devices[s]});
      if (k == kernels / 2)
        engine.add({.streams = {&reduce[s], 1},
                    .after = {&last, 1},
                    .latency = microseconds(10.0),
                    .duration = 2.0 * kernel,
                    .usage = wire,
                    .device = contended ? std::optional{devices[s]} : std::nullopt,
                    .held_share = contended ? 24.0 / 132.0 : 0.0,
                    .speed_beside_compute = contended ? 0.9 : 1.0});
    }
    if (s + 1 < stages)
      arrived[s + 1] = engine.add({.streams = {&send[s], 1},
                                   .after = {&last, 1},
                                   .latency = microseconds(5.0),
                                   .duration = 0.5 * kernel,
                                   .usage = wire});
  }
  RunReport run(std::uint32_t micro_batches) {
    engine.reserve(std::size_t{micro_batches} * stages * (kernels + 2));
    std::vector<TaskId> arrived(stages);
    for (std::uint32_t m = 0; m < micro_batches; ++m)
      for (std::uint32_t s = 0; s < stages; ++s) add_stage(s, m, arrived);
    return engine.run();
  }

  Contention contention;
  Engine engine;
  std::array<ResourceId, stages> devices, links;
  std::array<StreamId, stages> compute, reduce, send;
};

void engine_pipeline(benchmark::State& state, Contention contention) {
  std::int64_t tasks = 0, events = 0;
  for (auto _ : state) {
    Pipeline pipeline(contention);
    const RunReport report = pipeline.run(static_cast<std::uint32_t>(state.range(0)));
    tasks += static_cast<std::int64_t>(report.tasks.size());
    events += static_cast<std::int64_t>(report.events);
  }
  state.counters["tasks/s"] =
      benchmark::Counter(static_cast<double>(tasks), benchmark::Counter::kIsRate);
  state.counters["events/s"] =
      benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(engine_pipeline, contended, Contention::sm_and_link)
    ->Arg(250)
    ->Arg(6250)
    ->Unit(benchmark::kMillisecond);

// What sharing costs: the ratio of this to the one above.
BENCHMARK_CAPTURE(engine_pipeline, uncontended, Contention::none)
    ->Arg(6250)
    ->Unit(benchmark::kMillisecond);

// 1 GiB ring all-reduce, one fluid task for what each rank sends.
void engine_ring_fluid(benchmark::State& state) {
  const auto ranks = static_cast<std::uint32_t>(state.range(0));
  const Bytes sent = gibibytes(2.0 * (ranks - 1) / ranks);
  const BytesPerSecond bandwidth{gibibytes(50.0).value()};
  for (auto _ : state) {
    Engine engine;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const std::array<Usage, 1> wire{{{engine.add_resource("egress", 50.0), 50.0}}};
      engine.add({.duration = sent / bandwidth, .usage = wire});
    }
    benchmark::DoNotOptimize(engine.run());
  }
  state.SetLabel("1024 ranks: ASTRA-sim 3.9 s (unaware) and 6.0 s, SimGrid 9.1 s");
}
BENCHMARK(engine_ring_fluid)->Arg(1024)->Arg(4096)->Unit(benchmark::kMillisecond);

// The same, each step of each rank a task.
void engine_ring_stepwise(benchmark::State& state) {
  const auto ranks = static_cast<std::uint32_t>(state.range(0));
  const Seconds step = gibibytes(1.0 / ranks) / BytesPerSecond{gibibytes(50.0).value()};
  for (auto _ : state) {
    Engine engine;
    std::vector<Usage> wires;
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
      wires.push_back({engine.add_resource("egress", 50.0), 50.0});
    engine.reserve(std::size_t{2} * (ranks - 1) * ranks);
    for (std::uint32_t s = 0; s < 2 * (ranks - 1); ++s) {
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        const std::uint32_t before = (s - 1) * ranks;  // used from the second step on
        const std::array<TaskId, 2> after{TaskId{before + rank},
                                          TaskId{before + (rank + ranks - 1) % ranks}};
        engine.add({.after = {after.data(), s == 0 ? 0u : 2u},
                    .latency = microseconds(1.0),
                    .duration = step,
                    .usage = {&wires[rank], 1}});
      }
    }
    benchmark::DoNotOptimize(engine.run());
  }
  state.SetLabel("2 (n - 1) steps on each of n ranks");
}
BENCHMARK(engine_ring_stepwise)->Arg(64)->Arg(1024)->Unit(benchmark::kMillisecond);

// Flows between random pairs of 512 ports through one switch, all coupled: the worst case of
// sharing, since each end moves every speed.
void engine_coupled_flows(benchmark::State& state) {
  constexpr std::uint32_t ports = 512;
  for (auto _ : state) {
    Engine engine;
    std::vector<ResourceId> out, in;
    for (std::uint32_t p = 0; p < ports; ++p) {
      out.push_back(engine.add_resource("out", 1.0));
      in.push_back(engine.add_resource("in", 1.0));
    }
    std::uint32_t random = 1;
    for (std::int64_t f = 0; f < state.range(0); ++f) {
      random = random * 1664525u + 1013904223u;
      const std::array<Usage, 2> path{
          {{out[(random >> 8) % ports], 1.0}, {in[(random >> 18) % ports], 1.0}}};
      engine.add({.duration = microseconds(100.0 + (random >> 20) % 1000), .usage = path});
    }
    benchmark::DoNotOptimize(engine.run());
  }
}
BENCHMARK(engine_coupled_flows)->Arg(512)->Arg(2048)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stepcast

// Cases in which other simulators lose or double the bandwidth of a ring (their failures: a ring
// that gets faster than its wires as more chunks are in flight; a switched hop that costs twice).
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "common/units.hpp"
#include "sim/engine/engine.hpp"

namespace stepcast {
namespace {

constexpr std::uint32_t ranks = 64;
const Bytes payload = gibibytes(1.0);
const BytesPerSecond link_bandwidth{gibibytes(50.0).value()};

// 2 (n - 1) / n of the payload leave each rank: 2 * 63/64 GiB / (50 GiB/s) = 39.375 ms.
constexpr double wire_bound_s = 2.0 * 63.0 / 64.0 / 50.0;

enum class Hop { direct, switched };

// Each chunk goes around on its own streams, so that all chunks are in flight together. A step of
// one rank waits for its own step before and for that of the rank behind it.
RunReport run_ring(std::uint32_t chunks, Hop hop, Seconds step_latency) {
  Engine engine;
  std::vector<ResourceId> egress, ingress;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    egress.push_back(engine.add_resource("egress", link_bandwidth.value()));
    if (hop == Hop::switched)
      ingress.push_back(engine.add_resource("ingress", link_bandwidth.value()));
  }
  const Seconds step = payload / (1.0 * ranks * chunks) / link_bandwidth;
  for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
    std::vector<TaskId> before;
    for (std::uint32_t s = 0; s < 2 * (ranks - 1); ++s) {
      std::vector<TaskId> sent;
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        Task task{.latency = step_latency, .duration = step};
        task.usage.push_back({egress[rank], link_bandwidth.value()});
        if (hop == Hop::switched)
          task.usage.push_back({ingress[(rank + 1) % ranks], link_bandwidth.value()});
        if (s > 0) task.after = {before[rank], before[(rank + ranks - 1) % ranks]};
        sent.push_back(engine.add_task(task));
      }
      before = std::move(sent);
    }
  }
  return engine.run();
}

TEST(RingAllReduce, TakesTheWireBoundWhateverTheChunking) {
  for (const std::uint32_t chunks : {1u, 2u, 3u, 4u, 8u, 16u}) {
    const RunReport report = run_ring(chunks, Hop::direct, Seconds{0.0});
    EXPECT_NEAR(to_seconds(report.end).value(), wire_bound_s, 1e-6 * wire_bound_s) << chunks;
  }
}

TEST(RingAllReduce, KeepsEveryWireBusyToTheEnd) {
  const RunReport report = run_ring(16, Hop::direct, Seconds{0.0});
  for (const ResourceReport& link : report.resources) {
    EXPECT_NEAR(link.mean_utilisation, 1.0, 1e-6);
    EXPECT_NEAR(link.peak_utilisation, 1.0, 1e-9);
  }
}

TEST(RingAllReduce, CostsTheSameThroughASwitch) {
  for (const std::uint32_t chunks : {1u, 4u, 16u}) {
    const RunReport report = run_ring(chunks, Hop::switched, Seconds{0.0});
    EXPECT_NEAR(to_seconds(report.end).value(), wire_bound_s, 1e-6 * wire_bound_s) << chunks;
  }
}

TEST(RingAllReduce, PaysEachStepsLatencyWithOneChunk) {
  // Nothing hides the latency of 126 steps of 1 us each.
  const RunReport report = run_ring(1, Hop::direct, microseconds(1.0));
  EXPECT_NEAR(to_seconds(report.end).value(), wire_bound_s + 126e-6, 1e-9);
}

TEST(RingAllReduce, IsNeverFasterThanTheWire) {
  for (const std::uint32_t chunks : {2u, 16u})
    EXPECT_GE(to_seconds(run_ring(chunks, Hop::direct, microseconds(1.0)).end).value(),
              wire_bound_s * (1.0 - 1e-9));
}

TEST(RingAllReduce, AsOneFluidTaskPerLinkTakesTheWireBound) {
  constexpr std::uint32_t many = 1024;
  Engine engine;
  const BytesPerSecond bandwidth = link_bandwidth;
  for (std::uint32_t rank = 0; rank < many; ++rank) {
    const ResourceId link = engine.add_resource("egress", bandwidth.value());
    engine.add_task({.duration = payload * (2.0 * (many - 1) / many) / bandwidth,
                     .usage = {{link, bandwidth.value()}}});
  }
  // 2 * 1023/1024 GiB / (50 GiB/s)
  EXPECT_NEAR(to_seconds(engine.run().end).value(), 2.0 * 1023.0 / 1024.0 / 50.0, 1e-12);
}

}  // namespace
}  // namespace stepcast

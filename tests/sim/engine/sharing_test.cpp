// Hand-computed runs in which tasks slow each other down.
#include "sim/engine/sharing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "sim/engine/engine.hpp"

namespace stepcast {
namespace {

// Ends of all tasks in seconds, exact to the picosecond.
std::vector<double> ends(const RunReport& report) {
  std::vector<double> result;
  for (const Interval& interval : report.tasks)
    result.push_back(static_cast<double>(interval.end.ps) * 1e-12);
  return result;
}

auto are_seconds(const std::vector<double>& expected) {
  std::vector<testing::Matcher<double>> matchers;
  for (const double s : expected) matchers.push_back(testing::DoubleNear(s, 2e-12));
  return testing::ElementsAreArray(matchers);
}

TEST(Sharing, TwoFlowsOnALinkHalveUntilOneEnds) {
  Engine engine;
  const ResourceId link = engine.add_resource("link", 50e9);
  engine.add_task({.duration = Seconds{1.0}, .usage = {{link, 50e9}}});
  engine.add_task({.duration = Seconds{3.0}, .usage = {{link, 50e9}}});
  // Both at 1/2 until 2 s; then 2 s of the second are left at full speed.
  const RunReport report = engine.run();
  EXPECT_THAT(ends(report), are_seconds({2.0, 4.0}));
  EXPECT_DOUBLE_EQ(report.resources[0].mean_utilisation, 1.0);
  EXPECT_DOUBLE_EQ(report.resources[0].peak_utilisation, 1.0);
}

// 0.1 + 0.2 is more than 0.3 in binary, by a part in 1e16, which over 1e6 s would be 100 ps.
TEST(Sharing, FlowsThatFitTogetherDoNotSlowDown) {
  Engine engine;
  const ResourceId link = engine.add_resource("link", 0.3);
  engine.add_task({.duration = Seconds{1e6}, .usage = {{link, 0.1}}});
  engine.add_task({.duration = Seconds{1e6}, .usage = {{link, 0.2}}});
  const RunReport report = engine.run();
  const Interval alone{SimTime{0}, SimTime{1'000'000'000'000'000'000}};
  EXPECT_THAT(report.tasks, testing::ElementsAre(alone, alone));
  EXPECT_EQ(report.events, 4u);
  EXPECT_NEAR(report.resources[0].mean_utilisation, 1.0, 1e-12);
}

// Flow 0 crosses both links (1 and 1.4). At first 0 and 1 run at 1/2 and 2 at 0.9 (max_min_test).
// 2 ends at 0.9 / 0.9 = 1 s; nothing changes for the others, which end at 2 s.
TEST(Sharing, ThreeFlowsOverTwoLinksFollowTheTextbook) {
  Engine engine;
  const ResourceId narrow = engine.add_resource("narrow", 1.0);
  const ResourceId wide = engine.add_resource("wide", 1.4);
  engine.add_task({.duration = Seconds{1.0}, .usage = {{narrow, 1.0}, {wide, 1.0}}});
  engine.add_task({.duration = Seconds{1.0}, .usage = {{narrow, 1.0}}});
  engine.add_task({.duration = Seconds{0.9}, .usage = {{wide, 1.0}}});
  const RunReport report = engine.run();
  EXPECT_THAT(ends(report), are_seconds({2.0, 2.0, 1.0}));
  EXPECT_EQ(report.events, 6u);
}

TEST(Sharing, ATaskLargerThanItsLinkIsStretched) {
  Engine engine;
  const ResourceId link = engine.add_resource("link", 25e9);
  engine.add_task({.latency = Seconds{1.0}, .duration = Seconds{1.0}, .usage = {{link, 50e9}}});
  EXPECT_THAT(ends(engine.run()), are_seconds({3.0}));
}

// The second flow only arrives after 1 s of latency: until then the first has the link to itself.
TEST(Sharing, TheLatencyPartUsesNothing) {
  Engine engine;
  const ResourceId link = engine.add_resource("link", 1.0);
  engine.add_task({.duration = Seconds{2.0}, .usage = {{link, 1.0}}});
  engine.add_task({.latency = Seconds{1.0}, .duration = Seconds{1.0}, .usage = {{link, 1.0}}});
  // From 1 s on both have 1 s left, at 1/2.
  EXPECT_THAT(ends(engine.run()), are_seconds({3.0, 3.0}));
}

// A network kernel holds 24 of 108 SMs from 1 s to 3 s. A GEMM of 4 s does 1 s, then 2 * 84/108,
// then the rest: 3 + 4 - 1 - 14/9 = 4 + 4/9.
TEST(Sharing, AGemmLosesHeldSmsOnlyWhileBothRun) {
  Engine engine;
  const ResourceId gpu = engine.add_device("gpu");
  const StreamId comm = engine.add_stream("comm");
  engine.add_task({.duration = Seconds{4.0}, .device = gpu});
  engine.add_task({.streams = {comm}, .duration = Seconds{1.0}});
  engine.add_task(
      {.streams = {comm}, .duration = Seconds{2.0}, .device = gpu, .held_share = 24.0 / 108.0});
  const RunReport report = engine.run();
  EXPECT_THAT(ends(report), are_seconds({4.0 + 4.0 / 9.0, 1.0, 3.0}));
  // 4 s of GEMM and 2 s * 24/108 of 40/9 s.
  EXPECT_NEAR(report.resources[0].mean_utilisation, (4.0 + 2.0 * 24 / 108) / (40.0 / 9), 1e-9);
  EXPECT_DOUBLE_EQ(report.resources[0].peak_utilisation, 1.0);
}

TEST(Sharing, SmsAreHeldDuringLatencyToo) {
  Engine engine;
  const ResourceId gpu = engine.add_device("gpu");
  engine.add_task({.duration = Seconds{2.0}, .device = gpu});
  engine.add_task(
      {.latency = Seconds{1.0}, .duration = Seconds{1.0}, .device = gpu, .held_share = 0.25});
  // 2 s at 3/4, then 1/2 s of work is left.
  EXPECT_THAT(ends(engine.run()), are_seconds({2.5, 2.0}));
}

TEST(Sharing, TwoKernelsShareWhatIsNotHeld) {
  Engine engine;
  const ResourceId gpu = engine.add_device("gpu");
  engine.add_task({.duration = Seconds{1.0}, .device = gpu});
  engine.add_task({.duration = Seconds{1.0}, .device = gpu});
  engine.add_task({.duration = Seconds{10.0}, .device = gpu, .held_share = 0.2});
  EXPECT_THAT(ends(engine.run()), are_seconds({2.5, 2.5, 10.0}));  // 0.4 each
}

// The resident runs at 0.8 while the GEMM runs, 1 after it. GEMM: 3 s of work at 3/4 = 4 s.
// Resident: 4 * 0.8 = 3.2 of 5 s done; 1.8 s more.
TEST(Sharing, AResidentIsSlowerBesideCompute) {
  Engine engine;
  const ResourceId gpu = engine.add_device("gpu");
  engine.add_task({.duration = Seconds{3.0}, .device = gpu});
  engine.add_task(
      {.duration = Seconds{5.0}, .device = gpu, .held_share = 0.25, .speed_beside_compute = 0.8});
  EXPECT_THAT(ends(engine.run()), are_seconds({4.0, 5.8}));
}

// Kernels that follow each other without a gap are one long presence of compute.
TEST(Sharing, BackToBackKernelsDoNotChangeTheRateOfAResident) {
  Engine engine;
  const ResourceId gpu = engine.add_device("gpu");
  const StreamId compute = engine.add_stream("compute");
  for (int i = 0; i < 8; ++i)
    engine.add_task({.streams = {compute}, .duration = Seconds{0.5}, .device = gpu});
  engine.add_task(
      {.duration = Seconds{4.0}, .device = gpu, .held_share = 0.5, .speed_beside_compute = 0.5});
  // All kernels at 1/2 take 8 s, and so does the resident, which ends with the last one.
  const RunReport report = engine.run();
  EXPECT_THAT(ends(report), are_seconds({1, 2, 3, 4, 5, 6, 7, 8, 8}));
  EXPECT_EQ(report.events, 18u);
}

// A slowed resident asks for less of its link, which others take: 0.5 * 1.0 leaves 0.5 of 1.
TEST(Sharing, WhatASlowedResidentLeavesOfALinkGoesToOthers) {
  Engine engine;
  const ResourceId gpu = engine.add_device("gpu");
  const ResourceId link = engine.add_resource("link", 1.0);
  engine.add_task({.duration = Seconds{1.0}, .device = gpu});  // at 0.9 until 10/9 s
  engine.add_task({.duration = Seconds{1.0},
                   .usage = {{link, 1.0}},
                   .device = gpu,
                   .held_share = 0.1,
                   .speed_beside_compute = 0.25});
  engine.add_task({.duration = Seconds{1.0}, .usage = {{link, 1.0}}});
  // Until 10/9 s: the resident at 1/4 and the flow at 3/4, so 13/18 and 1/6 are left. Then 1/2
  // each: the flow ends 1/3 s later, with 5/9 of the resident left at full speed: 2 s in all.
  EXPECT_THAT(ends(engine.run()), are_seconds({10.0 / 9, 2.0, 10.0 / 9 + 1.0 / 3}));
}

TEST(Sharing, AFullyHeldDeviceMakesComputeWait) {
  Engine engine;
  const ResourceId gpu = engine.add_device("gpu");
  engine.add_task({.duration = Seconds{1.0}, .device = gpu});
  engine.add_task({.duration = Seconds{2.0}, .device = gpu, .held_share = 0.75});
  engine.add_task({.duration = Seconds{2.0}, .device = gpu, .held_share = 0.75});
  EXPECT_THAT(ends(engine.run()), are_seconds({3.0, 2.0, 2.0}));
}

// Each holds a device and computes on the other's: neither can move.
TEST(Sharing, ResidentsThatStarveEachOtherAreReported) {
  Engine engine;
  const ResourceId a = engine.add_device("a");
  const ResourceId b = engine.add_device("b");
  engine.add_task({.duration = Seconds{1.0}, .usage = {{b, 1.0}}, .device = a, .held_share = 1.0});
  engine.add_task({.duration = Seconds{1.0}, .usage = {{a, 1.0}}, .device = b, .held_share = 1.0});
  EXPECT_THROW(static_cast<void>(engine.run()), std::logic_error);
}

// Flow 0 shares a link with flow 1, flow 1 another link with flow 2; flows 3 and 4 are elsewhere.
// The end of 3 changes 4 only: with 0, 1, 2 that is one rate change besides their own.
TEST(Sharing, OnlyTheTouchedComponentChangesItsRates) {
  Engine engine;
  const ResourceId x = engine.add_resource("x", 1.0);
  const ResourceId y = engine.add_resource("y", 1.0);
  const ResourceId z = engine.add_resource("z", 1.0);
  engine.add_task({.duration = Seconds{4.0}, .usage = {{x, 1.0}}});
  engine.add_task({.duration = Seconds{4.0}, .usage = {{x, 1.0}, {y, 1.0}}});
  engine.add_task({.duration = Seconds{4.0}, .usage = {{y, 1.0}}});
  engine.add_task({.duration = Seconds{1.0}, .usage = {{z, 1.0}}});
  engine.add_task({.duration = Seconds{3.0}, .usage = {{z, 1.0}}});
  const RunReport report = engine.run();
  EXPECT_THAT(ends(report), are_seconds({8.0, 8.0, 8.0, 2.0, 4.0}));
  EXPECT_EQ(report.events, 11u);
}

TEST(Sharing, PeakIsNotTheSumOfOneThatEndsAndOneThatStarts) {
  Engine engine;
  const StreamId stream = engine.add_stream("comm");
  const ResourceId link = engine.add_resource("link", 1.0);
  engine.add_task({.streams = {stream}, .duration = Seconds{1.0}, .usage = {{link, 0.4}}});
  engine.add_task({.streams = {stream}, .duration = Seconds{1.0}, .usage = {{link, 0.5}}});
  const RunReport report = engine.run();
  EXPECT_DOUBLE_EQ(report.resources[0].peak_utilisation, 0.5);
  EXPECT_DOUBLE_EQ(report.resources[0].mean_utilisation, 0.45);
}

}  // namespace
}  // namespace stepcast

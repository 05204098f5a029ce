#include "sim/plan/layer_times.hpp"

#include <gtest/gtest.h>

#include "sim/memory/memory.hpp"
#include "sim/predict/action_timer.hpp"
#include "tests/sim/plan/plan_fixtures.hpp"

namespace stepcast {
namespace {

TEST(LayerTimes, GivesTheTimeOfAnyChunk) {
  const auto request = test::small_search();
  LayerTimesCache cache(test::h100(), test::h100_costs());
  const Candidate candidate{.tensor = 2, .data = 4, .micro_batch = 2, .split = StageSplit::even};
  const auto run = run_of(candidate, request.bases.front());
  const LayerTimes& times = cache.times(candidate, run);
  auto recomputing = run;
  recomputing.training.recompute = {RecomputeKind::full, 2, {}};
  const auto alone = [&](const auto& of, const Chunk& chunk, ActionKind kind) {
    return time_action(of, test::h100(), test::h100_costs(), chunk, kind).value();
  };
  const Chunk last{.first_layer = 3, .layers = 5, .head = true};
  const Chunk first{.first_layer = 0, .layers = 4, .embedding = true};
  const double picosecond = 1e-10;  // a few hundred operations, each rounded to one
  EXPECT_NEAR(times.forward.of(5, 0, false, true), alone(run, last, ActionKind::forward),
              picosecond);
  EXPECT_NEAR(times.backward.of(4, 0, true, false), alone(run, first, ActionKind::backward),
              picosecond);
  // Where recompute of one layer meets the next, a launch gap may be shared.
  EXPECT_NEAR(
      times.backward.of(4, 2, true, false) / alone(recomputing, first, ActionKind::backward), 1.0,
      0.01);
}

TEST(LayerTimes, KeepsWhatALayerSaves) {
  const auto request = test::small_search();
  LayerTimesCache cache(test::h100(), test::h100_costs());
  const Candidate candidate{.tensor = 2, .data = 4, .split = StageSplit::even};
  const auto run = run_of(candidate, request.bases.front());
  double saved = 0.0;
  for (const NamedBytes& tensor : saved_by_layer(run)) saved += tensor.bytes.value();
  EXPECT_EQ(cache.kept(candidate, run).whole, saved);
  // Full recompute keeps the layer's input: 128 tokens of 512 in 2 bytes.
  EXPECT_EQ(cache.kept(candidate, run).recomputed, 128 * 512 * 2);
}

TEST(LayerTimes, IsRememberedByWhatItDependsOn) {
  const auto request = test::small_search();
  LayerTimesCache cache(test::h100(), test::h100_costs());
  const auto find = [&](const Candidate& candidate) {
    return &cache.times(candidate, run_of(candidate, request.bases.front()));
  };
  const Candidate one{.tensor = 2, .data = 4, .split = StageSplit::even};
  Candidate deeper = one;
  deeper.pipeline = 2;
  deeper.data = 2;
  Candidate wider = one;
  wider.micro_batch = 2;
  EXPECT_EQ(find(one), find(deeper));
  EXPECT_NE(find(one), find(wider));
}

}  // namespace
}  // namespace stepcast

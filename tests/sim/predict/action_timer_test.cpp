#include "sim/predict/action_timer.hpp"

#include <gtest/gtest.h>

#include "sim/cost/profile_cost_model.hpp"
#include "tests/sim/program/program_fixtures.hpp"

namespace stepcast {
namespace {

double time(const std::vector<std::string>& settings, std::int64_t layers, ActionKind kind) {
  static const Profile profile = load_profile("h100-sxm");
  static const ProfileCostModel costs(profile);
  return time_action(test::run_with(settings), profile, costs, {.first_layer = 1, .layers = layers},
                     kind)
      .value();
}

TEST(ActionTimer, AddsUpTheKernelsOfAnAction) {
  const auto run = test::run_with({});
  // In seconds of PlainCosts: rows of products, queries of attention, bytes of the rest.
  double sum = 0.0;
  for (const Kernel& kernel : test::kernels_of(test::forward(run))) {
    if (const auto* gemm = std::get_if<GemmCall>(&kernel.call))
      sum += static_cast<double>(gemm->shape.m);
    if (const auto* attention = std::get_if<AttentionCall>(&kernel.call))
      sum += static_cast<double>(attention->shape.query_length);
    if (const auto* memory = std::get_if<MemoryCall>(&kernel.call)) sum += memory->moved.value();
  }
  const test::PlainCosts costs;
  const Seconds alone = time_action(run, test::plain_profile(), costs,
                                    {.first_layer = 1, .layers = 1}, ActionKind::forward);
  EXPECT_NEAR(alone.value(), sum, 1e-6 * sum);
}

TEST(ActionTimer, GrowsByTheSameForEachLayer) {
  for (const ActionKind kind : {ActionKind::forward, ActionKind::backward}) {
    const double one = time({"parallel.tensor=2"}, 1, kind),
                 two = time({"parallel.tensor=2"}, 2, kind);
    EXPECT_NEAR(time({"parallel.tensor=2"}, 6, kind), one + 5 * (two - one), 1e-10);
  }
}

TEST(ActionTimer, RecomputeLengthensTheBackwardOnly) {
  const std::vector<std::string> again{"training.recompute=full"};
  EXPECT_EQ(time(again, 2, ActionKind::forward), time({}, 2, ActionKind::forward));
  EXPECT_GT(time(again, 2, ActionKind::backward), time({}, 2, ActionKind::backward));
}

}  // namespace
}  // namespace stepcast

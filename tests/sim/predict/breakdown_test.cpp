#include "sim/predict/breakdown.hpp"

#include <gtest/gtest.h>

#include <set>

#include "sim/cost/profile_cost_model.hpp"
#include "tests/sim/program/program_fixtures.hpp"

namespace stepcast {
namespace {

StepSimulation simulate(const Run& run, const CostModel& costs) {
  const FrameworkRules& rules = framework_rules(run.framework, run.framework_release);
  return simulate_step(run, compile_step(run, rules, 9.0), test::plain_profile(), costs);
}

double sum(const StageBreakdown& s) {
  return (s.gemm + s.attention + s.memory_bound + s.exposed_tensor + s.exposed_context +
          s.exposed_pipeline + s.exposed_data + s.exposed_expert + s.exposed_other + s.bubble +
          s.recompute + s.optimizer + s.host)
      .value();
}

TEST(Breakdown, PartsSumToTheStepTimeOnEveryStage) {
  const ProfileCostModel costs(load_profile("h100-sxm"));
  for (const std::vector<std::string>& settings : std::vector<std::vector<std::string>>{
           {},
           {"parallel.tensor=2"},
           {"parallel.tensor=2", "parallel.sequence_parallel=true", "overlap.tensor=true"},
           {"parallel.pipeline=4"},
           {"parallel.pipeline=4", "parallel.virtual_stages=2", "training.recompute=full"},
           {"parallel.context=2", "parallel.data=2", "parallel.sharding=optimizer"},
           {"parallel.pipeline=2", "parallel.data=2", "parallel.sharding=optimizer",
            "overlap.grad_reduce=true", "overlap.param_gather=true", "parallel.tensor=2"},
           {"framework=deepspeed", "parallel.pipeline=2"}}) {
    const StepSimulation simulation = simulate(test::run_with(settings), costs);
    const double step = to_seconds(simulation.report.end).value();
    for (const StageBreakdown& stage : break_down(simulation).stages) {
      EXPECT_NEAR(sum(stage) / step, 1.0, 1e-9) << (settings.empty() ? "" : settings.front());
      EXPECT_EQ(stage.total.value(), step);
    }
  }
}

TEST(Breakdown, OneDeviceHasNoBubbleAndNothingExposed) {
  const ProfileCostModel costs(load_profile("h100-sxm"));
  const StageBreakdown stage = break_down(simulate(test::run_with({}), costs)).stages.front();
  EXPECT_EQ(stage.bubble.value(), 0.0);
  EXPECT_EQ(
      stage.exposed_tensor.value() + stage.exposed_data.value() + stage.exposed_pipeline.value(),
      0.0);
  EXPECT_GT(stage.optimizer.value(), 0.0);
}

TEST(Breakdown, RecomputeIsCountedApart) {
  const ProfileCostModel costs(load_profile("h100-sxm"));
  const auto account = [&](const char* recompute) {
    return break_down(simulate(test::run_with({recompute}), costs)).stages.front();
  };
  const StageBreakdown none = account("training.recompute=none"),
                       full = account("training.recompute=full");
  EXPECT_EQ(none.recompute.value(), 0.0);
  EXPECT_GT(full.recompute.value(), 0.0);
  EXPECT_NEAR(full.gemm.value(), none.gemm.value(), 1e-12);
}

TEST(Breakdown, CommunicationCountsCallsAndBytesOfARank) {
  const ProfileCostModel costs(load_profile("h100-sxm"));
  const auto run = test::run_with({"parallel.tensor=2", "parallel.sequence_parallel=false"});
  const Breakdown breakdown = break_down(simulate(run, costs));
  std::int64_t calls = 0;
  for (const auto& [key, total] : breakdown.communication)
    if (total.group == "tensor" && total.op == "all_reduce") calls += total.calls;
  // 8 micro-batches: 8 layers x 4, embedding, head input gradient, and 2 small ones for the loss.
  EXPECT_EQ(calls, 8 * (8 * 4 + 1 + 1 + 2));
}

TEST(Breakdown, GradientNormIsAddedUpByAllWhoShareTheOptimizer) {
  const ProfileCostModel costs(load_profile("h100-sxm"));
  const auto ranks = [&](const char* sharding) {
    const auto run = test::run_with({"parallel.tensor=2", "parallel.data=4", sharding});
    for (const auto& [key, total] : break_down(simulate(run, costs)).communication)
      if (total.group == "model") return total.ranks;
    return std::int64_t{0};
  };
  EXPECT_EQ(ranks("parallel.sharding=none"), 2);
  EXPECT_EQ(ranks("parallel.sharding=optimizer"), 8);
}

TEST(Breakdown, TraceHasOneBarForEachTaskOfEachStage) {
  const ProfileCostModel costs(load_profile("h100-sxm"));
  const StepSimulation simulation = simulate(test::run_with({"parallel.pipeline=2"}), costs);
  const std::vector<Span> trace = make_trace(simulation);
  EXPECT_EQ(trace.size(), simulation.tasks.size());
  for (const Span& span : trace) EXPECT_LE(span.start, span.end);
}

TEST(Breakdown, OutlineOfTheTraceLeavesOutTheInsideOfActions) {
  const ProfileCostModel costs(load_profile("h100-sxm"));
  const StepSimulation simulation =
      simulate(test::run_with({"parallel.tensor=2", "parallel.pipeline=2"}), costs);
  std::set<std::string> lanes, categories;
  for (const Span& span : make_trace(simulation, KeepTrace::outline)) {
    lanes.insert(span.lane);
    categories.insert(span.category);
  }
  EXPECT_EQ(categories, (std::set<std::string>{"communication", "optimizer"}));
  EXPECT_FALSE(lanes.contains("tensor"));
  EXPECT_TRUE(lanes.contains("pipeline"));
}

}  // namespace
}  // namespace stepcast

#include "sim/predict/predict.hpp"

#include <gtest/gtest.h>

#include "models/flops.hpp"
#include "tests/sim/program/program_fixtures.hpp"

namespace stepcast {
namespace {

Run llama(const std::vector<std::string>& overrides) {
  return parse_run("run.json", with_overrides(nlohmann::json::parse(R"({
    "model": "llama-3-8b", "cluster": "dgx-h100:1",
    "parallel": {"tensor": 2, "pipeline": 2},
    "training": {"sequence_length": 8192, "global_batch": 16}, "overlap": {}})"),
                                              overrides));
}
Prediction forecast(const std::vector<std::string>& overrides) {
  return predict(llama(overrides), load_profile("h100-sxm")).prediction;
}

TEST(Predict, RatesFollowFromTheStepTime) {
  const Prediction p = forecast({});
  const double tokens = 16.0 * 8192.0;
  EXPECT_DOUBLE_EQ(p.tokens_per_s, tokens / p.step_p50.value());
  EXPECT_DOUBLE_EQ(p.tokens_per_s_per_gpu, p.tokens_per_s / 8.0);
  const double flops =
      model_flops(llama({}).model, 8192, 128256, FlopsConvention::full).value() * 16.0;
  EXPECT_NEAR(p.model_flops_per_gpu_full.value(), flops / p.step_p50.value() / 8.0, 1.0);
  EXPECT_NEAR(p.mfu_full, p.model_flops_per_gpu_full.value() / 989e12, 1e-3);
  EXPECT_GT(p.mfu_full, p.mfu_causal);
}

TEST(Predict, IntervalSurroundsTheMedian) {
  const Prediction p = forecast({});
  EXPECT_LT(p.step_p10, p.step_p50);
  EXPECT_LT(p.step_p50, p.step_p90);
}

TEST(Predict, HardwareFlopsGrowByOneForwardUnderFullRecompute) {
  const auto executed = [](const Prediction& p) {
    return p.hardware_flops_per_gpu.value() * p.step_p50.value();
  };
  const Prediction none = forecast({}), full = forecast({"training.recompute=full"});
  // Layers: forward 1, backward 2 of the products (attention backward 2.5); the head is not
  // repeated.
  EXPECT_NEAR(executed(full) / executed(none), 4.0 / 3.0, 0.04);
  EXPECT_NEAR(none.mfu_causal * none.step_p50.value(), full.mfu_causal * full.step_p50.value(),
              1e-6);
}

TEST(Predict, BasisSharesSumToOne) {
  const BasisShares basis = forecast({}).basis;
  EXPECT_NEAR(basis.measured + basis.interpolated + basis.extrapolated + basis.analytical, 1.0,
              1e-9);
}

TEST(Predict, FasterLinksAreNeverSlower) {
  const auto step = [](double nic) {
    const std::string cluster =
        R"(cluster={"server": "dgx-h100", "nodes": 2, "overrides": {"nic_bandwidth_GBps": )" +
        std::to_string(nic) + "}}";
    return forecast({cluster, "parallel.tensor=4", "parallel.data=2"}).step_p50;
  };
  EXPECT_GE(step(12.5), step(25.0));
  EXPECT_GE(step(25.0), step(100.0));
}

TEST(Predict, MoreMicroBatchesShrinkTheBubblesShare) {
  const auto bubble = [](const char* batch) {
    const Prediction p = forecast({batch});
    return p.breakdown.front().bubble.value() / p.step_p50.value();
  };
  EXPECT_GT(bubble("training.global_batch=8"), bubble("training.global_batch=64"));
}

TEST(Predict, JudgesMemory) {
  EXPECT_EQ(
      forecast({"parallel.tensor=1", "parallel.pipeline=1", "training.global_batch=8"}).verdict,
      MemoryVerdict::out_of_memory);
  const Prediction fits =
      forecast({"parallel.tensor=4", "parallel.data=1", "training.global_batch=4"});
  EXPECT_EQ(fits.verdict, MemoryVerdict::fits);
  ASSERT_EQ(fits.memory.size(), 2U);
}

TEST(Predict, KeepsTheTraceOnlyWhenAsked) {
  const Profile profile = load_profile("h100-sxm");
  EXPECT_TRUE(predict(llama({}), profile).trace.empty());
  EXPECT_FALSE(predict(llama({}), profile, KeepTrace::yes).trace.empty());
}

TEST(Predict, HandsOutTheActionsOfEveryStage) {
  // 16 sequences on 2 data-parallel replicas: 8 micro-batches, a forward and a backward of each.
  const auto actions = predict(llama({}), load_profile("h100-sxm")).actions;
  ASSERT_EQ(actions.size(), 2U);
  for (const auto& stage : actions) {
    EXPECT_EQ(stage.size(), 16U);
    for (const TimedAction& action : stage) EXPECT_LT(action.start, action.end);
  }
}

TEST(Predict, RepeatsExactly) {
  const Prediction a = forecast({}), b = forecast({});
  EXPECT_EQ(a.step_p50, b.step_p50);
  EXPECT_EQ(a.events, b.events);
}

}  // namespace
}  // namespace stepcast

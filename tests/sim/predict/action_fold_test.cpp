// A folded action is an action: simulating each as one task changes nothing where nothing can meet
// what is inside.

#include <gtest/gtest.h>

#include "sim/predict/predict.hpp"
#include "tests/sim/predict/pipeline_fixtures.hpp"

namespace stepcast {
namespace {

using Settings = std::vector<std::string>;

const std::vector<Settings>& without_overlapped_transfers() {
  static const std::vector<Settings> cases{
      {"parallel.pipeline=4"},
      {"parallel.pipeline=4", "parallel.tensor=2"},
      {"parallel.pipeline=2", "parallel.tensor=2", "parallel.sequence_parallel=true",
       "overlap.tensor=true", "training.recompute=full"},
      {"parallel.pipeline=2", "parallel.context=2", "parallel.data=2",
       "parallel.sharding=optimizer"},
      {"parallel.pipeline=4", "parallel.schedule=gpipe", "parallel.data=2"},
      {"parallel.pipeline=4", "parallel.virtual_stages=2", "overlap.pipeline=false"},
      {"parallel.pipeline=2", "parallel.data=4", "overlap.grad_reduce=true"},
      {"framework=deepspeed", "parallel.pipeline=2"},
      {}};
  return cases;
}

Prediction forecast(const Settings& settings, SimulationDetail detail) {
  return predict(test::run_with(settings), load_profile("h100-sxm"), KeepTrace::no, detail)
      .prediction;
}

TEST(ActionFold, GivesTheSameStepTimeAndBreakdown) {
  for (const Settings& settings : without_overlapped_transfers()) {
    const std::string name = settings.empty() ? "one device" : settings.front();
    const Prediction whole = forecast(settings, SimulationDetail::operations),
                     folded = forecast(settings, SimulationDetail::actions);
    EXPECT_NEAR(folded.step_p50 / whole.step_p50, 1.0, 1e-9) << name;
    EXPECT_NEAR(folded.step_p90 / whole.step_p90, 1.0, 1e-9) << name;
    for (std::size_t stage = 0; stage < whole.breakdown.size(); ++stage) {
      const StageBreakdown &a = whole.breakdown[stage], &b = folded.breakdown[stage];
      EXPECT_NEAR(b.gemm.value(), a.gemm.value(), 1e-9) << name;
      EXPECT_NEAR(b.recompute.value(), a.recompute.value(), 1e-9) << name;
      EXPECT_NEAR(b.exposed_tensor.value(), a.exposed_tensor.value(), 1e-9) << name;
      EXPECT_NEAR((b.bubble + b.host).value(), (a.bubble + a.host).value(), 1e-9) << name;
    }
  }
}

TEST(ActionFold, GivesTheSameCommunication) {
  for (const Settings& settings : without_overlapped_transfers()) {
    const Prediction whole = forecast(settings, SimulationDetail::operations),
                     folded = forecast(settings, SimulationDetail::actions);
    ASSERT_EQ(folded.communication.size(), whole.communication.size());
    for (std::size_t i = 0; i < whole.communication.size(); ++i) {
      const CommunicationTotal &a = whole.communication[i], &b = folded.communication[i];
      EXPECT_EQ(b.group + b.op + b.tier, a.group + a.op + a.tier);
      EXPECT_EQ(b.calls, a.calls);
      EXPECT_NEAR(b.bytes_per_rank / a.bytes_per_rank, 1.0, 1e-9) << a.group << a.op;
      EXPECT_NEAR(b.time.value(), a.time.value(), 1e-9) << a.group << a.op;
    }
  }
}

TEST(ActionFold, BesideOverlappedTransfersIsWithinOnePercent) {
  for (const Settings& settings : std::vector<Settings>{
           {"parallel.pipeline=4", "parallel.virtual_stages=2"},
           {"parallel.pipeline=4", "parallel.virtual_stages=2", "parallel.tensor=2"}}) {
    const Prediction whole = forecast(settings, SimulationDetail::operations),
                     folded = forecast(settings, SimulationDetail::actions);
    EXPECT_NEAR(folded.step_p50 / whole.step_p50, 1.0, 0.01) << settings.back();
  }
}

TEST(ActionFold, NeedsFarFewerEvents) {
  const Settings settings{"parallel.pipeline=4", "parallel.tensor=2", "training.global_batch=64"};
  EXPECT_LT(forecast(settings, SimulationDetail::actions).events * 5,
            forecast(settings, SimulationDetail::operations).events);
}

TEST(ActionFold, HoldsForEverySchedule) {
  for (const ScheduleKind kind :
       {ScheduleKind::gpipe, ScheduleKind::one_f_one_b, ScheduleKind::interleaved}) {
    const test::Shape shape{.kind = kind,
                            .virtual_stages = kind == ScheduleKind::interleaved ? 2 : 1,
                            .last_stage_factor = 1.3,
                            .transfer = 0.05,
                            .overlap = kind == ScheduleKind::interleaved};
    const SimTime whole = test::simulate(shape).report.end;
    EXPECT_EQ(test::simulate(shape, SimulationDetail::actions).report.end.ps, whole.ps);
  }
}

}  // namespace
}  // namespace stepcast

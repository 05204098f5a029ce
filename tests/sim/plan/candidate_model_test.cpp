#include "sim/plan/candidate_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "sim/predict/predict.hpp"
#include "tests/sim/plan/plan_fixtures.hpp"

namespace stepcast {
namespace {

struct Costed {
  Candidate candidate;
  double least_time, least_memory, memory, time;
};

// Costs of every n-th candidate.
std::vector<Costed> sample(const SearchRequest& request, std::size_t every) {
  const SearchSpace space(request);
  CandidateModel model(request, test::h100(), test::h100_costs());
  std::vector<Costed> costs;
  std::size_t index = 0;
  test::for_each_variant(request, space, model, [&](const Candidate& variant, const auto&) {
    if (index++ % every != 0) return;
    const double least_memory = model.least_memory(variant), least_time = model.least_time(variant);
    const double memory = model.exact_memory(variant);
    costs.push_back({variant, least_time, least_memory, memory, model.replayed_time(variant)});
  });
  return costs;
}

SearchRequest larger_search() {
  return test::small_search(
      {16}, {"training.global_batch=32", "training.sequence_length=512", "model.layers=12"});
}

TEST(CandidateModel, BoundsNeverExceedWhatTheyBound) {
  for (const SearchRequest& request :
       {larger_search(), test::small_search({8}, {"training.attention=unfused"})}) {
    const std::vector<Costed> costs = sample(request, 3);
    ASSERT_GT(costs.size(), 500U);
    for (const Costed& one : costs) {
      EXPECT_LE(one.least_time, one.time * (1 + 1e-12));
      EXPECT_LE(one.least_memory, one.memory * (1 + 1e-12));
    }
  }
}

TEST(CandidateModel, BoundsAreCloseEnoughToPrune) {
  const std::vector<Costed> costs = sample(larger_search(), 3);
  double time = 0.0, memory = 0.0;
  for (const Costed& one : costs) {
    time += one.least_time / one.time;
    memory += one.least_memory / one.memory;
  }
  EXPECT_GT(time / static_cast<double>(costs.size()), 0.7);
  EXPECT_GT(memory / static_cast<double>(costs.size()), 0.7);
}

TEST(CandidateModel, ReplayAndMemoryAgreeWithThePrediction) {
  const SearchRequest request = larger_search();
  std::vector<Costed> costs = sample(request, 1);
  std::shuffle(costs.begin(), costs.end(), std::mt19937(3));
  costs.resize(60);
  double worst = 0.0, sum = 0.0;
  for (const Costed& one : costs) {
    const auto run = run_of(one.candidate, request.bases.front());
    const Prediction full =
        predict(run, test::h100(), KeepTrace::no, SimulationDetail::actions).prediction;
    double memory = 0.0;
    for (const StageMemory& stage : full.memory)
      memory = std::max(memory, (stage.peak_allocated + stage.overhead).value());
    EXPECT_NEAR(one.memory / memory, 1.0, 1e-9) << to_json(run)["parallel"].dump();
    const double error = std::abs(one.time / full.step_p50.value() - 1.0);
    worst = std::max(worst, error);
    sum += error;
  }
  // A small model's actions are microseconds, as are the launches and waits that the replay leaves
  // out.
  EXPECT_LT(sum / static_cast<double>(costs.size()), 0.05);
  EXPECT_LT(worst, 0.2);
}

TEST(CandidateModel, RecomputingMoreLayersIsSlowerAndLighter) {
  const SearchRequest request = larger_search();
  const SearchSpace space(request);
  CandidateModel model(request, test::h100(), test::h100_costs());
  std::optional<Costed> before;
  std::size_t compared = 0;
  test::for_each_variant(request, space, model, [&](const Candidate& variant, const auto&) {
    if (variant.recompute != RecomputeKind::full || variant.context > 1) return before.reset();
    const Costed now{variant, 0, 0, model.exact_memory(variant), model.replayed_time(variant)};
    if (before && variant.recompute_layers == before->candidate.recompute_layers + 1) {
      EXPECT_GE(now.time, before->time);
      EXPECT_LE(now.memory, before->memory * (1 + 1e-9));
      ++compared;
    }
    before = now;
  });
  EXPECT_GT(compared, 100U);
}

}  // namespace
}  // namespace stepcast

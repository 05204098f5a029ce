#include "sim/plan/migration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/errors.hpp"
#include "models/load.hpp"
#include "sim/predict/predict.hpp"
#include "tests/sim/plan/migration_fixtures.hpp"

namespace stepcast {
namespace {

using namespace migration_fixtures;

Run small(const std::vector<std::string>& assignments) {
  return parse_run("run.json",
                   with_overrides({{"model", "llama-3-8b"},
                                   {"cluster", "dgx-h100:1"},
                                   {"parallel", {{"sharding", "optimizer"}}},
                                   {"training", {{"sequence_length", 4096}, {"global_batch", 16}}}},
                                  assignments));
}

TEST(Migrate, ForecastsBothSides) {
  const auto from = small({"parallel.tensor=2"}), to = small({"parallel.tensor=4"});
  const Migration migration = migrate(from, to, {});
  const Prediction after = predict(to, load_profile(to.profile)).prediction;
  EXPECT_EQ(migration.to_cost.step, after.step_p50);
  EXPECT_EQ(migration.to_cost.peak_allocated, after.memory.front().peak_allocated);
  EXPECT_EQ(migration.to_cost.verdict, after.verdict);
  EXPECT_NE(migration.from_cost.step, migration.to_cost.step);
  EXPECT_TRUE(migration.same_machines);
  EXPECT_FALSE(migration.knobs.empty());
  EXPECT_FALSE(migration.checklist.empty());
}

TEST(Migrate, RefusesOtherModels) {
  try {
    static_cast<void>(migrate(small({}), small({"model=llama-2-7b"}), {}));
    FAIL() << "accepted";
  } catch (const InputError& error) {
    ASSERT_EQ(error.problems().size(), 1U);
    EXPECT_EQ(error.problems()[0].message,
              "llama-3-8b and llama-2-7b are not the same model (KV heads 8 and 32, MLP width "
              "14336 and 11008, vocabulary 128256 and 32000): no checkpoint moves between them");
  }
}

TEST(ModelDifferences, LeaveOutWhatACheckpointDoesNotHold) {
  Transformer model = load_model("llama-3-8b"), other = model;
  other.name = "mine";
  other.hidden_dropout = 0.1;
  other.max_positions = 131072;  // rotary: no table
  EXPECT_EQ(model_differences(model, other), "");
  other.qkv_bias = true;
  EXPECT_EQ(model_differences(model, other), "biases, norms, embeddings or experts differ");
}

}  // namespace
}  // namespace stepcast

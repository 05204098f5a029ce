#include "sim/plan/migration_knobs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/plan/migration_fixtures.hpp"

namespace stepcast {
namespace {

using namespace migration_fixtures;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> names_of(const std::vector<KnobChange>& knobs) {
  std::vector<std::string> names;
  for (const KnobChange& knob : knobs) names.push_back(knob.knob);
  return names;
}

KnobChange knob_named(const std::vector<KnobChange>& knobs, const std::string& name) {
  for (const KnobChange& knob : knobs)
    if (knob.knob == name) return knob;
  ADD_FAILURE() << "no change of " << name;
  return {};
}

TEST(KnobChanges, AreNoneForTheSameRun) {
  const auto run = tiny_run(8, {"parallel.tensor=2"});
  EXPECT_THAT(knob_changes(run, run), IsEmpty());
}

TEST(KnobChanges, NameWhatFollows) {
  const auto knobs =
      knob_changes(tiny_run(8, {"parallel.tensor=4"}), tiny_run(8, {"parallel.tensor=8"}));
  EXPECT_THAT(names_of(knobs), ElementsAre("parallel.tensor", "parallel.data", "micro_batches"));
  EXPECT_EQ(knobs[2].from, "8");  // 16 sequences on 2 data ranks
  EXPECT_EQ(knobs[2].to, "16");
}

TEST(KnobChanges, HaveTheFlagsOfThreeFrameworks) {
  const auto knobs =
      knob_changes(tiny_run(8), tiny_run(8, {"parallel.tensor=2", "parallel.sharding=optimizer"}));
  const KnobChange tensor = knob_named(knobs, "parallel.tensor");
  EXPECT_EQ(tensor.flags.megatron, "--tensor-model-parallel-size");
  EXPECT_EQ(tensor.flags.torchtitan, "parallelism.tensor_parallel_degree");
  const KnobChange sharding = knob_named(knobs, "parallel.sharding");
  EXPECT_EQ(sharding.flags.deepspeed, "zero_optimization.stage");
  EXPECT_EQ(sharding.to, "\"optimizer\"");
  EXPECT_FALSE(knob_named(knobs, "parallel.data").flags.megatron);
}

// SEMANTICS 10, "class per knob".
TEST(KnobChanges, HaveTheClassesOfTheFramework) {
  struct Case {
    std::vector<std::string> from, to;
    const char* knob;
    NumericsClass numerics;
  };
  const std::vector<Case> cases{
      {{}, {"parallel.tensor=2"}, "parallel.tensor", NumericsClass::rounding},
      {{}, {"parallel.pipeline=2"}, "parallel.pipeline", NumericsClass::bit_preserving},
      {{"parallel.pipeline=2"},
       {"parallel.pipeline=2", "parallel.virtual_stages=2"},
       "parallel.virtual_stages",
       NumericsClass::bit_preserving},
      {{}, {"parallel.context=2"}, "parallel.context", NumericsClass::rounding},
      {{"parallel.tensor=2"},
       {"parallel.tensor=2", "parallel.sequence_parallel=true"},
       "parallel.sequence_parallel",
       NumericsClass::rounding},
      {{}, {"training.micro_batch=2"}, "training.micro_batch", NumericsClass::rounding},
      {{}, {"training.global_batch=32"}, "training.global_batch", NumericsClass::statistical},
      {{}, {"training.recompute=full"}, "training.recompute", NumericsClass::bit_preserving},
      {{}, {"overlap.grad_reduce=true"}, "overlap.grad_reduce", NumericsClass::bit_preserving},
      {{}, {"overlap.grad_reduce=true"}, "gradient_bucket", NumericsClass::rounding},
      {{}, {"parallel.sharding=optimizer"}, "parallel.sharding", NumericsClass::rounding},
      {{}, {"training.gradient_dtype=bf16"}, "training.gradient_dtype", NumericsClass::rounding}};
  for (const Case& c : cases)
    EXPECT_EQ(knob_named(knob_changes(tiny_run(8, c.from), tiny_run(8, c.to)), c.knob).numerics,
              c.numerics)
        << c.knob;
}

// With dropout the masks depend on the streams, and these on t and p.
TEST(KnobChanges, AreStatisticalWhereDropoutMasksChange) {
  auto from = tiny_run(8), to = tiny_run(8, {"parallel.tensor=2", "parallel.pipeline=2"});
  from.model.attention_dropout = to.model.attention_dropout = 0.1;
  const auto knobs = knob_changes(from, to);
  EXPECT_EQ(knob_named(knobs, "parallel.tensor").numerics, NumericsClass::statistical);
  EXPECT_EQ(knob_named(knobs, "parallel.pipeline").numerics, NumericsClass::statistical);
}

TEST(KnobChanges, LeaveOutWhatIsIdle) {
  // The group follows the pipeline size but means nothing to 1F1B.
  EXPECT_FALSE(has_knob(knob_changes(tiny_run(8), tiny_run(8, {"parallel.pipeline=2"})),
                        "parallel.microbatch_group"));
}

}  // namespace
}  // namespace stepcast

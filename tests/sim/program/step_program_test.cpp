#include "sim/program/step_program.hpp"

#include <gtest/gtest.h>

#include "tests/sim/program/program_fixtures.hpp"

namespace stepcast {
namespace {

using test::calls_of;
using test::count;
using test::kernels_of;
using test::run_with;

StepProgram compile(const Run& run) {
  return compile_step(run, framework_rules(run.framework, run.framework_release), 9.0);
}

bool has_kernel(const Block& block, const std::string& name) {
  for (const Kernel& kernel : kernels_of(block))
    if (kernel.name == name) return true;
  return false;
}

TEST(StepProgram, EmbeddingStandsOnTheFirstStageAndTheLossOnTheLast) {
  const StepProgram program = compile(run_with({"parallel.pipeline=4"}));
  ASSERT_EQ(program.stages.size(), 4U);
  for (std::size_t stage = 0; stage < 4; ++stage) {
    const ChunkProgram& chunk = program.stages[stage].chunks.front();
    EXPECT_EQ(has_kernel(chunk.forward, "embedding lookup"), stage == 0);
    EXPECT_EQ(has_kernel(chunk.backward, "embedding gradient"), stage == 0);
    EXPECT_EQ(has_kernel(chunk.forward, "cross entropy forward"), stage == 3);
  }
}

// s b / c (/ t with sequence parallel) h elements of two bytes: 128 * 512 * 2 = 131,072.
TEST(StepProgram, BoundaryTensorIsShardedBySequenceParallelismOnly) {
  EXPECT_EQ(compile(run_with({"parallel.pipeline=2"})).boundary_size.value(), 131072.0);
  EXPECT_EQ(compile(run_with({"parallel.pipeline=2", "parallel.tensor=2",
                              "parallel.sequence_parallel=false"}))
                .boundary_size.value(),
            131072.0);
  EXPECT_EQ(compile(run_with({"parallel.pipeline=2", "parallel.tensor=2",
                              "parallel.sequence_parallel=true"}))
                .boundary_size.value(),
            65536.0);
}

TEST(StepProgram, The2022ReleaseSendsSlicesAndGathersThem) {
  const StepProgram program =
      compile(run_with({"parallel.pipeline=2", "parallel.tensor=2",
                        "parallel.sequence_parallel=false", "framework_release=megatron-2022"}));
  EXPECT_EQ(program.boundary_size.value(), 65536.0);
  EXPECT_EQ(
      count(calls_of(program.stages[1].chunks[0].forward, Lane::tensor), CollectiveOp::all_gather),
      1U);
  EXPECT_EQ(
      count(calls_of(program.stages[0].chunks[0].backward, Lane::tensor), CollectiveOp::all_gather),
      1U);
}

TEST(StepProgram, GradientsOfAllParametersAreReducedOnce) {
  // 8 layers of: qkv 512 x 1024, projection 512 x 512, fc1 2048 x 512, fc2 512 x 1024, two norms of
  // 512; embedding and head 1024 x 512 each, final norm 512: 19,931,648 parameters, 4 bytes each.
  const double layer = 512.0 * 1024 + 512.0 * 512 + 2048.0 * 512 + 512.0 * 1024 + 2 * 512.0;
  const double expected = 4.0 * (8 * layer + 2 * 1024.0 * 512 + 512);
  for (const char* overlap : {"overlap.grad_reduce=false", "overlap.grad_reduce=true"}) {
    const StepProgram program = compile(run_with({"parallel.data=2", overlap}));
    double bytes = 0.0;
    for (const test::Call& call : calls_of(program.stages[0].chunks[0].last_backward, Lane::data))
      bytes += call.size;
    for (const test::Call& call : calls_of(program.stages[0].reduce, Lane::data))
      bytes += call.size;
    EXPECT_EQ(bytes, expected) << overlap;
    EXPECT_TRUE(calls_of(program.stages[0].chunks[0].backward, Lane::data).empty());
  }
}

TEST(StepProgram, ShardedOptimizerScattersAndGathers) {
  const StepProgram program =
      compile(run_with({"parallel.data=2", "parallel.sharding=optimizer",
                        "overlap.grad_reduce=false", "overlap.param_gather=false"}));
  EXPECT_EQ(count(calls_of(program.stages[0].reduce, Lane::data), CollectiveOp::reduce_scatter),
            1U);
  EXPECT_EQ(count(calls_of(program.stages[0].update, Lane::data), CollectiveOp::all_gather), 1U);
  EXPECT_TRUE(program.stages[0].gathers.empty());
}

TEST(StepProgram, OverlappedGathersMoveEachParameterOnce) {
  const auto run = run_with({"parallel.data=2", "parallel.sharding=optimizer",
                             "overlap.grad_reduce=true", "overlap.param_gather=true"});
  const StepProgram program = compile(run);
  double bytes = 0.0;
  for (const Operation& gather : program.stages[0].gathers)
    bytes += std::get<Communication>(gather.work).size.value();
  EXPECT_EQ(bytes,
            2.0 * static_cast<double>(stage_parameters(run, program.stages[0].layout).total()));
  EXPECT_TRUE(calls_of(program.stages[0].update, Lane::data).empty());
  std::size_t awaited = 0;
  for (const Operation& operation : program.stages[0].chunks[0].first_forward.operations)
    awaited += operation.after_gather.has_value() ? 1U : 0U;
  EXPECT_EQ(awaited, program.stages[0].gathers.size());
}

// SEMANTICS 2.5: one fp32 all-reduce of the replicated norms: (8 layers x 2 + final) x 512 x 4
// bytes.
TEST(StepProgram, SequenceParallelNormGradientsAreReducedOverTheTensorGroup) {
  const StepProgram program =
      compile(run_with({"parallel.tensor=2", "parallel.sequence_parallel=true"}));
  const auto calls = calls_of(program.stages[0].reduce, Lane::tensor);
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].size, 17 * 512 * 4.0);
}

// Vector dp/tied_embedding_allreduce_gpt3: 51200 / 8 * 12288 * 4 = 314,572,800 bytes.
TEST(StepProgram, TiedEmbeddingIsReducedBetweenFirstAndLastStage) {
  const auto run =
      parse_run("gpt3", nlohmann::json::parse(R"({"model": "gpt3-175b", "cluster": "dgx-a100:16",
      "parallel": {"tensor": 8, "pipeline": 16},
      "training": {"sequence_length": 2048, "global_batch": 16}})"));
  EXPECT_EQ(compile(run).tied_embedding_size.value(), 314572800.0);
  EXPECT_EQ(compile(run_with({"parallel.pipeline=2"})).tied_embedding_size.value(), 0.0);
}

TEST(StepProgram, BatchIsBroadcastOverTheTensorGroup) {
  const StepProgram program = compile(run_with({"parallel.tensor=2", "parallel.pipeline=2"}));
  for (const StageProgram& stage : program.stages)
    EXPECT_EQ(count(calls_of(stage.chunks[0].forward, Lane::tensor), CollectiveOp::broadcast), 2U);
}

TEST(StepProgram, PartialRecomputeRepeatsTheFirstLayersOfAChunk) {
  const StepProgram program =
      compile(run_with({R"(training.recompute={"kind": "full", "layers": 3})"}));
  std::size_t repeated = 0;
  for (const Operation& operation : program.stages[0].chunks[0].backward.operations)
    if (const auto* compute = std::get_if<Compute>(&operation.work); compute && compute->recompute)
      for (const Kernel& kernel : compute->kernels)
        repeated += kernel.name == "attention forward" ? 1U : 0U;
  EXPECT_EQ(repeated, 3U);
}

}  // namespace
}  // namespace stepcast

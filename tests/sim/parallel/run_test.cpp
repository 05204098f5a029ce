#include "sim/parallel/run.hpp"

#include "run_fixtures.hpp"

namespace stepcast {
namespace {

using testing_runs::run_with;

TEST(Run, DerivesGpusMicroBatchesAndTokens) {
  const auto run = run_with(
      {"parallel.tensor=4", "parallel.pipeline=4", "parallel.context=2", "training.micro_batch=2"});
  EXPECT_EQ(run.gpus(), 64);               // 4 * 4 * 2 * 2
  EXPECT_EQ(run.micro_batches(), 128);     // 512 / (2 * 2)
  EXPECT_EQ(run.tokens_per_rank(), 8192);  // 8192 * 2 / 2
}

TEST(Run, VocabularyIsPaddedTo128TimesTensor) {
  // ceil(128256 / 512) * 512 = 128512; ceil(128256 / 1024) * 1024 = 129024.
  EXPECT_EQ(run_with({"parallel.tensor=4"}).padded_vocabulary(), 128512);
  EXPECT_EQ(run_with({"parallel.tensor=8"}).padded_vocabulary(), 129024);
}

TEST(Run, TorchtitanDoesNotPadTheVocabulary) {
  const auto run =
      run_with({"parallel.tensor=8", "framework=torchtitan", "parallel.sharding=none"});
  EXPECT_EQ(run.padded_vocabulary(), 128256);
}

}  // namespace
}  // namespace stepcast

#include "sim/parallel/scope.hpp"

#include <gmock/gmock.h>

#include "run_fixtures.hpp"

namespace stepcast {
namespace {

using testing::ElementsAre;
using testing_runs::messages_with;

TEST(Scope, NamesSchedulesThatAreNotSimulatedYet) {
  EXPECT_THAT(messages_with({"parallel.pipeline=4", "parallel.schedule=zb-h1"}),
              ElementsAre("run.json: parallel.schedule = zb-h1: not simulated yet (try gpipe, "
                          "1f1b, interleaved)"));
  EXPECT_THAT(messages_with({"parallel.pipeline=4", "parallel.schedule={\"actions\":\"a.csv\"}"}),
              ElementsAre("run.json: parallel.schedule = actions: not simulated yet (try gpipe, "
                          "1f1b, interleaved)"));
}

TEST(Scope, NamesContextKindsThatAreNotSimulatedYet) {
  EXPECT_THAT(messages_with({"parallel.context=2", "parallel.context_kind=all_gather"}),
              ElementsAre("run.json: parallel.context_kind = all_gather: not simulated yet (try "
                          "ring)"));
}

TEST(Scope, IgnoresTheContextKindOfOneContextRank) {
  EXPECT_THAT(messages_with({"parallel.context_kind=all_gather"}), ElementsAre());
}

TEST(Scope, NamesShardingThatIsNotSimulatedYet) {
  for (const char* sharding : {"gradients", "parameters", "hybrid"})
    EXPECT_THAT(messages_with({std::string("parallel.sharding=") + sharding}),
                ElementsAre(std::string("run.json: parallel.sharding = ") + sharding +
                            ": not simulated yet (try none, optimizer)"));
}

TEST(Scope, NamesMixturesOfExpertsAndLatentAttention) {
  EXPECT_THAT(messages_with({"model=mixtral-8x7b"}),
              ElementsAre("run.json: model = mixtral-8x7b: mixture-of-experts models are counted "
                          "(stepcast model show) but not simulated yet"));
  EXPECT_THAT(messages_with({"model=deepseek-v3", "parallel.expert=8"}),
              ElementsAre("run.json: model = deepseek-v3: mixture-of-experts models are counted "
                          "(stepcast model show) but not simulated yet",
                          "run.json: model = deepseek-v3: models with multi-head latent attention "
                          "are counted (stepcast model show) but not simulated yet",
                          "run.json: parallel.expert = 8: expert parallelism is not simulated yet "
                          "(try 1)"));
}

}  // namespace
}  // namespace stepcast

#include "sim/plan/migration_groups.hpp"

#include <gtest/gtest.h>

#include "tests/sim/plan/migration_fixtures.hpp"

namespace stepcast {
namespace {

using namespace migration_fixtures;

std::string text(const std::vector<CommunicatorChange>& changes) {
  std::string all;
  for (const CommunicatorChange& c : changes)
    all += c.kind + " " + std::to_string(c.count) + "x" + std::to_string(c.ranks) + " " + c.tier +
           "; ";
  return all;
}

TEST(CommunicatorChanges, AreNoneForTheSameRun) {
  const auto run = tiny_run(16, {"parallel.tensor=2", "parallel.pipeline=2"});
  EXPECT_EQ(text(communicator_changes(run, run).added), "");
  EXPECT_EQ(text(communicator_changes(run, run).removed), "");
}

// 16 GPUs on two servers: 8 pairs of neighbours become 4 groups of four, all inside a server. Data:
// 2 groups of 8 at even and odd ranks become 4 groups of 4, all across both servers.
TEST(CommunicatorChanges, OfTensorTwoToFour) {
  const auto changes = communicator_changes(tiny_run(16, {"parallel.tensor=2"}),
                                            tiny_run(16, {"parallel.tensor=4"}));
  EXPECT_EQ(text(changes.added), "tensor 4x4 nvlink; data 4x4 nic; ");
  EXPECT_EQ(text(changes.removed), "tensor 8x2 nvlink; data 2x8 nic; ");
}

// Stages on two servers: ranks 0-7 and 8-15. Their gradients no longer cross.
TEST(CommunicatorChanges, OfAPipelineOverServers) {
  const auto changes = communicator_changes(tiny_run(16), tiny_run(16, {"parallel.pipeline=2"}));
  EXPECT_EQ(text(changes.added), "data 2x8 nvlink; pipeline 8x2 nic; ");
  EXPECT_EQ(text(changes.removed), "data 1x16 nic; ");
}

// The ranks that reduce gradients stay the same two; between them they now also pass keys.
TEST(CommunicatorChanges, OfContextForDataAddTheContextGroupAlone) {
  const auto changes = communicator_changes(tiny_run(2), tiny_run(2, {"parallel.context=2"}));
  EXPECT_EQ(text(changes.added), "context 1x2 nvlink; ");
  EXPECT_EQ(text(changes.removed), "");
}

TEST(CommunicatorChanges, TieTheEndsOfAPipeline) {
  const auto run = [](const char* pipeline) {
    return tiny_run(4, {"model.tied_embeddings=true", pipeline});
  };
  const auto changes = communicator_changes(run("parallel.pipeline=2"), run("parallel.pipeline=4"));
  // One pipeline over all four ranks; its ends 0 and 3 share the embedding. Before: 0-2 and 1-3.
  EXPECT_EQ(text(changes.added), "pipeline 1x4 nvlink; embedding 1x2 nvlink; ");
  EXPECT_EQ(text(changes.removed), "data 2x2 nvlink; pipeline 2x2 nvlink; embedding 2x2 nvlink; ");
}

TEST(CommunicatorChanges, AreAllNewOnOtherServers) {
  auto document = to_json(tiny_run(8));
  document["cluster"] = "dgx-b200:1";
  document["profile"] = "b200-sxm";
  const auto changes = communicator_changes(tiny_run(8), parse_run("run.json", document));
  EXPECT_EQ(text(changes.added), "data 1x8 nvlink; ");
  EXPECT_EQ(text(changes.removed), "data 1x8 nvlink; ");
}

}  // namespace
}  // namespace stepcast

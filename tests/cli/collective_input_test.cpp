#include "cli/collective_input.hpp"

#include <gtest/gtest.h>

#include "common/errors.hpp"

namespace stepcast::cli {
namespace {

TEST(CollectiveOpName, IsReadAsWritten) {
  EXPECT_EQ(parse_op("reduce_scatter"), CollectiveOp::reduce_scatter);
}

TEST(CollectiveOpName, AnUnknownOneIsAnErrorWithTheNearest) {
  EXPECT_THROW(
      {
        try {
          static_cast<void>(parse_op("allreduce"));
        } catch (const InputError& error) {
          EXPECT_NE(std::string(error.what()).find("did you mean \"all_reduce\"?"),
                    std::string::npos);
          throw;
        }
      },
      InputError);
}

TEST(RanksOn, AreAllGpusUnlessAskedFor) {
  const Cluster cluster = load_cluster("dgx-h100:2");
  EXPECT_EQ(ranks_on(cluster, 0), 16);
  EXPECT_EQ(ranks_on(cluster, 3), 3);
}

TEST(RanksOn, MoreThanTheClusterHasIsAnError) {
  EXPECT_THROW(static_cast<void>(ranks_on(load_cluster("dgx-h100:1"), 9)), InputError);
}

}  // namespace
}  // namespace stepcast::cli

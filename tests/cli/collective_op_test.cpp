#include "cli/collective_op.hpp"

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

}  // namespace
}  // namespace stepcast::cli

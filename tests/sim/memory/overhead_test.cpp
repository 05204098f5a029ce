#include "sim/memory/overhead.hpp"

#include <gtest/gtest.h>

#include "tests/sim/memory/memory_fixtures.hpp"

namespace stepcast {
namespace {

using namespace memory_fixtures;

Run run_with(std::int64_t tensor, std::int64_t pipeline, std::int64_t context, std::int64_t data) {
  ParallelConfig parallel;
  parallel.tensor = tensor;
  parallel.pipeline = pipeline;
  parallel.context = context;
  parallel.data = data;
  return make_run(llama3_8b(), parallel, TrainingConfig{});
}

TEST(Overhead, CountsCommunicatorsOfMoreThanOneRank) {
  EXPECT_EQ(communicators(run_with(1, 1, 1, 1)), 0);
  EXPECT_EQ(communicators(run_with(1, 1, 1, 8)), 1);  // data
  EXPECT_EQ(communicators(run_with(1, 1, 2, 4)), 2);  // context, data with context
  EXPECT_EQ(communicators(run_with(8, 4, 2, 2)), 5);  // all, and tensor with pipeline
}

TEST(Overhead, EachCommunicatorTakesARingOf24Channels) {
  // mem/nccl_conn_buffers: 24 * 9,633,792 = 231,211,008 bytes.
  const Bytes alone = outside_allocator(run_with(1, 1, 1, 1), "megatron-core");
  const Bytes with_data = outside_allocator(run_with(1, 1, 1, 8), "megatron-core");
  EXPECT_EQ(alone, gibibytes(0.92));
  EXPECT_DOUBLE_EQ((with_data - alone).value(), 24.0 * 9633792);
}

TEST(Overhead, AFullyParallelRunStaysInTheExpectedBand) {
  // MEMORY_EXACT 11.3: 1.5 to 2.5 GiB on current stacks.
  const Bytes outside = outside_allocator(run_with(8, 4, 2, 2), "megatron-core");
  EXPECT_GE(outside, gibibytes(1.5));
  EXPECT_LE(outside, gibibytes(2.5));
}

TEST(Overhead, BloomsStackHasItsFittedConstants) {
  EXPECT_EQ(outside_allocator(run_with(4, 12, 1, 8), "megatron-deepspeed-2022"), gibibytes(5.75));
  EXPECT_DOUBLE_EQ(reserved_over_allocated("megatron-deepspeed-2022"), 1.152);
  EXPECT_DOUBLE_EQ(reserved_over_allocated("megatron-core"), 1.07);
}

}  // namespace
}  // namespace stepcast

#include "reports/parallel_jobs.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

namespace stepcast {
namespace {

TEST(ForEachInParallel, DoesEachJobOnce) {
  std::vector<std::atomic<int>> done(1000);
  for_each_in_parallel(done.size(), [&](std::size_t i) { ++done[i]; });
  for (const auto& count : done) EXPECT_EQ(count, 1);
}

TEST(ForEachInParallel, DoesNothingWithoutJobs) {
  for_each_in_parallel(0, [](std::size_t) { FAIL(); });
}

TEST(ForEachInParallel, ThrowsTheFirstErrorAfterAllHaveEnded) {
  std::atomic<int> ended{0};
  try {
    for_each_in_parallel(50, [&](std::size_t i) {
      ++ended;
      if (i == 7 || i == 31) throw std::runtime_error("job " + std::to_string(i));
    });
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "job 7");
  }
  EXPECT_EQ(ended, 50);
}

}  // namespace
}  // namespace stepcast

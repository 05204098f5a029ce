#include "cli/search_input.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/errors.hpp"
#include "tests/cli/bad_input.hpp"

namespace stepcast::cli {
namespace {

using testing::ElementsAre;

SearchInput input() {
  SearchInput input;
  input.run.model = "llama-3-8b";
  input.run.cluster = "dgx-h100:2";
  input.sequence_length = "8192";
  input.global_batch = "64";
  return input;
}

TEST(SearchInput, ReadsGpuCounts) {
  EXPECT_THAT(parse_gpu_counts("64"), ElementsAre(64));
  EXPECT_THAT(parse_gpu_counts("24,8,24"), ElementsAre(8, 24));
  EXPECT_THAT(parse_gpu_counts("8-64"), ElementsAre(8, 16, 32, 64));
  EXPECT_THROW(static_cast<void>(parse_gpu_counts("64-8")), InputError);
  EXPECT_THROW(static_cast<void>(parse_gpu_counts("many")), InputError);
}

TEST(SearchInput, PinsWhatIsSet) {
  SearchInput given = input();
  given.run.set = {"parallel.tensor=4", "training.recompute.kind=full", "training.precision=bf16"};
  EXPECT_THAT(read_search_request(given).pinned, ElementsAre("recompute", "tensor"));
}

TEST(SearchInput, OverlapsUnlessToldOtherwise) {
  SearchInput given = input();
  EXPECT_TRUE(read_search_request(given).bases.front().overlap.param_gather);
  given.run.set = {"overlap.grad_reduce=false"};
  const SearchRequest request = read_search_request(given);
  EXPECT_FALSE(request.bases.front().overlap.grad_reduce);
  EXPECT_FALSE(request.bases.front().overlap.param_gather);
}

TEST(SearchInput, HasARunForEachNumberOfGpus) {
  SearchInput given = input();
  given.gpus = "8-32";
  const SearchRequest request = read_search_request(given);
  ASSERT_EQ(request.bases.size(), 3U);
  EXPECT_EQ(request.bases[2].cluster.topology.gpu_count(), 32U);
}

TEST(SearchInput, ReadsMarginsAsSharesAndPercent) {
  SearchInput given = input();
  given.memory_margin = "10%";
  EXPECT_DOUBLE_EQ(read_search_request(given).limits.memory_margin, 0.1);
  given.memory_margin = "0.05";
  EXPECT_DOUBLE_EQ(read_search_request(given).limits.memory_margin, 0.05);
}

TEST(SearchInput, RefusesWhatItCannotSearch) {
  const std::vector<std::string> search{
      "search", "--model", "llama-3-8b", "--cluster", "dgx-h100:1", "--sequence-length", "8192"};
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> all = search;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  for (const BadInput& bad : std::vector<BadInput>{
           {"no batch",
            search,
            {},
            "stepcast: --global-batch: missing: a search holds the batch fixed\n"},
           {"objective",
            with({"--global-batch", "64", "--objective", "speed"}),
            {},
            "stepcast: --objective: must be one of time, tokens_per_s_per_gpu, gpu_hours, cost, "
            "memory, found \"speed\"\n"},
           {"cost without price",
            with({"--global-batch", "64", "--objective", "cost", "--tokens", "1e12"}),
            {},
            "stepcast: --objective: cost needs --tokens and --price-per-gpu-hour\n"},
           {"margin",
            with({"--global-batch", "64", "--memory-margin", "150%"}),
            {},
            "stepcast: --memory-margin: must be a share below 1 or below 100%, found \"150%\"\n"},
           {"a model that is not simulated",
            {"search", "--model", "mixtral-8x7b", "--cluster", "dgx-h100:1", "--global-batch", "64",
             "--sequence-length", "4096"},
            {},
            "stepcast: command line: model = mixtral-8x7b: mixture-of-experts models are counted "
            "(stepcast model show) but not simulated yet\n"}})
    expect_refused(bad);
}

}  // namespace
}  // namespace stepcast::cli

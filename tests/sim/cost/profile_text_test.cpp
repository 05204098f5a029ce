#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/cost/profile_json.hpp"

namespace stepcast {
namespace {

using testing::HasSubstr;

Profile small() {
  Profile p;
  p.name = "test";
  p.device.name = "GPU";
  p.device.multiprocessors = 4;
  p.device.peak[DataType::bf16] = FlopsPerSecond{1e12};
  p.device.memory_bandwidth = BytesPerSecond{2e12};
  p.device.memory = Bytes{85056798720.0};
  const auto gemm = [&](std::int64_t m, std::int64_t n, double s) {
    p.gemm.push_back({{m, n, 512}, DataType::bf16, Seconds{s}, Seconds{s}, Seconds{s}});
  };
  gemm(256, 1024, 2e-5);
  gemm(128, 1024, 1e-5);
  gemm(128, 512, 5e-6);
  p.attention.push_back({{1, 512, 1024, 8, 8, 64, false},
                         AttentionPass::backward,
                         AttentionKernel::cudnn,
                         microseconds(7)});
  return p;
}

TEST(ProfileText, GroupsProductsIntoSortedSitesOneALine) {
  EXPECT_THAT(
      profile_text(small()),
      HasSubstr("\n    {\"high_s\":[5e-06],\"k\":512,\"low_s\":[5e-06],\"m\":[128],\"n\":512,"
                "\"time_s\":[5e-06]},"
                "\n    {\"high_s\":[1e-05,2e-05],\"k\":512,\"low_s\":[1e-05,2e-05],"
                "\"m\":[128,256],\"n\":1024,\"time_s\":[1e-05,2e-05]}\n"));
}

TEST(ProfileText, WritesKeyLengthsOnlyWhereTheyDiffer) {
  Profile p = small();
  EXPECT_THAT(profile_text(p), HasSubstr("\"key_length\":[1024]"));
  p.attention[0].shape.key_length = 512;
  EXPECT_THAT(profile_text(p), testing::Not(HasSubstr("key_length")));
}

TEST(ProfileText, WritesWholeNumbersPlainly) {
  EXPECT_THAT(profile_text(small()), HasSubstr("\"memory_bytes\":85056798720,"));
}

TEST(ProfileText, ReadsBackTheSame) {
  for (const std::string& name : profile_presets()) {
    const std::string text = profile_text(load_profile(name));
    EXPECT_EQ(profile_text(parse_profile(name, text)), text) << name;
  }
}

TEST(ProfileText, DoesNotDependOnTheOrderOfPoints) {
  Profile turned = small();
  std::reverse(turned.gemm.begin(), turned.gemm.end());
  EXPECT_EQ(profile_text(turned), profile_text(small()));
}

}  // namespace
}  // namespace stepcast

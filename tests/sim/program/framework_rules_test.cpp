#include "sim/program/framework_rules.hpp"

#include <gtest/gtest.h>

#include "common/errors.hpp"

namespace stepcast {
namespace {

TEST(FrameworkRules, EmptyReleaseIsTheNewestOfTheFramework) {
  EXPECT_EQ(framework_rules(Framework::megatron, "").release, "megatron-core");
  EXPECT_EQ(framework_rules(Framework::deepspeed, "").release, "megatron-deepspeed-2023");
}

TEST(FrameworkRules, EachReleaseNamesItsSource) {
  for (const Framework framework :
       {Framework::megatron, Framework::torchtitan, Framework::deepspeed})
    for (const std::string& release : framework_releases(framework))
      EXPECT_FALSE(framework_rules(framework, release).source.empty()) << release;
}

TEST(FrameworkRules, Sc21MegatronReducesSynchronouslyAndAccumulatesApart) {
  const FrameworkRules& rules = framework_rules(Framework::megatron, "megatron-2021");
  EXPECT_EQ(rules.tensor_all_reduce, TensorAllReduce::synchronous);
  EXPECT_EQ(rules.wgrad, WgradAccumulation::separate);
  EXPECT_EQ(rules.norm, NormKernels::two_pass);
}

TEST(FrameworkRules, UnknownReleaseNamesTheValidOnes) {
  try {
    (void)framework_rules(Framework::deepspeed, "nemo-25");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(to_string(error.problems().front()),
              "framework_release = \"nemo-25\": must be one of megatron-deepspeed-2023, "
              "megatron-deepspeed-2022");
  }
}

}  // namespace
}  // namespace stepcast

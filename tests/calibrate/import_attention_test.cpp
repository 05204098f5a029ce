#include "calibrate/import_attention.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stepcast::calibrate {
namespace {

const std::string header =
    "batch,seq_q,seq_kv,heads_q,heads_kv,head_dim_qk,head_dim_v,causal,dtype,direction,measured_us,"
    "impl\n";

ImportPlan plan() {
  ImportPlan plan;
  plan.profile.device.name = "GPU";
  plan.profile.device.multiprocessors = 108;
  plan.profile.device.peak[DataType::bf16] = FlopsPerSecond{312e12};
  plan.profile.device.memory_bandwidth = BytesPerSecond{2e12};
  plan.attention_implementations = {{"FA2", AttentionKernel::flash2},
                                    {"serving", AttentionKernel::flash2}};
  plan.kv_write_implementation = "serving";
  return plan;
}

std::vector<AttentionPoint> points(const std::string& rows, std::vector<Problem>* problems = {}) {
  CsvTable table("a.csv", header + rows);
  Profile profile = plan().profile;
  const auto result = attention_points(table, plan(), profile);
  if (problems != nullptr) *problems = table.problems();
  return result;
}

TEST(AttentionPoints, KeepsForwardAndBackwardApart) {
  const auto found = points(
      "4,4096,4096,16,16,128,128,0,fp16,fwd,900.5,FA2\n"
      "4,4096,4096,16,16,128,128,0,fp16,bwd,2500,FA2\n");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].shape, (AttentionShape{4, 4096, 4096, 16, 16, 128, false}));
  EXPECT_EQ(found[0].pass, AttentionPass::forward);
  EXPECT_EQ(found[0].time, Seconds{900.5e-6});
  EXPECT_EQ(found[1].pass, AttentionPass::backward);
}

TEST(AttentionPoints, LeavesOutWhatTheModelCannotPlace) {
  EXPECT_TRUE(points("4,4096,4096,16,16,128,128,0,fp16,fwd+bwd,3400,FA2\n"  // both directions
                     "4,4096,4096,16,16,192,128,1,fp16,fwd,900,FA2\n"       // unequal widths
                     "4,4096,4096,16,16,128,128,1,fp16,fwd,900,unknown\n")  // not in the plan
                  .empty());
}

TEST(AttentionPoints, TakesTheFirstOfTwoEqualCalls) {
  const auto found = points(
      "1,1024,1024,8,8,128,128,1,bf16,fwd,50,FA2\n"
      "1,1024,1024,8,8,128,128,1,bf16,fwd,60,FA2\n");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].time, Seconds{50e-6});
}

TEST(AttentionPoints, SubtractsTheCacheWriteOfServingStacks) {
  // Two calls that differ in kv_heads only; the one with more writes more.
  const std::string rows =
      "1,4096,4096,32,1,128,128,1,bf16,fwd,800,serving\n"
      "1,4096,4096,32,32,128,128,1,bf16,fwd,1000,serving\n";
  CsvTable table("a.csv", header + rows);
  Profile profile = plan().profile;
  const auto found = attention_points(table, plan(), profile);
  ASSERT_EQ(found.size(), 2U);
  const double factor = profile.constant("attention.kv_write_factor");
  EXPECT_GT(factor, 0.0);
  // 8 bytes x 4096 x 32 x 128 at 2 TB/s.
  EXPECT_NEAR(found[1].time.value(), 1000e-6 - factor * 134217728.0 / 2e12, 1e-8);
  EXPECT_NEAR(found[0].time.value(), 800e-6 - factor * 134217728.0 / 32.0 / 2e12, 1e-8);
}

TEST(AttentionPoints, ReportsBadCells) {
  std::vector<Problem> problems;
  (void)points("0,1024,1024,8,8,128,128,yes,bf16,fwd,-1,FA2\n", &problems);
  ASSERT_EQ(problems.size(), 3U);
  EXPECT_EQ(to_string(problems[0]),
            "a.csv: line 2, column batch: must be a whole number >= 1, found \"0\"");
  EXPECT_EQ(to_string(problems[1]), "a.csv: line 2, column causal: must be 0 or 1, found \"yes\"");
  EXPECT_EQ(to_string(problems[2]),
            "a.csv: line 2, column measured_us: must be a number > 0, found \"-1\"");
}

}  // namespace
}  // namespace stepcast::calibrate

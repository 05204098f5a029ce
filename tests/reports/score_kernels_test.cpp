#include <gtest/gtest.h>

#include <cmath>

#include "reports/score_readers.hpp"

namespace stepcast {
namespace {

const char* const gemm_header =
    "m,n,k,dtype,layout,measured_us,tflops,median_us_all_stacks,min_us_all_stacks,"
    "max_us_all_stacks,n_stacks,kernel,source\n";

std::vector<ScoredRow> score(const std::string& name, const std::string& text,
                             const std::string& profile) {
  ProfileLibrary profiles;
  return run_score_jobs(read_score_jobs({name, text, profile}, profiles), [] {});
}

TEST(GemmRows, PredictTheProfilesTime) {
  const auto rows = score(
      "dir/gemm_x.csv",
      std::string(gemm_header) + "512,512,512,fp32,TN_fwd(y=x*W^T),900,1,1000,,,7,k,s\n", "cpu");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].id, "gemm_x.csv:2");
  EXPECT_EQ(rows[0].source, "gemm_x");
  EXPECT_EQ(rows[0].metric, "time_s");
  EXPECT_DOUBLE_EQ(rows[0].observed, 1e-3);  // the median over stacks, not the one stack
  ProfileLibrary profiles;
  const Estimate estimate =
      profiles.get("cpu").costs->gemm({512, 512, 512}, DataType::fp32, GemmPass::forward);
  EXPECT_EQ(rows[0].predicted, estimate.time.value());
}

TEST(GemmRows, FallBackToTheMeasuredTime) {
  const auto rows =
      score("g.csv", std::string(gemm_header) + "512,512,512,fp32,TN,900,1,,,,1,k,s\n", "cpu");
  EXPECT_DOUBLE_EQ(rows[0].observed, 900e-6);
}

TEST(GemmRows, SkipWhatTheProfileLacks) {
  const auto rows = score("g.csv",
                          std::string(gemm_header) +
                              "512,512,512,nvfp4,TN,900,1,,,,1,k,s\n"
                              "0,512,512,fp32,TN,900,1,,,,1,k,s\n"
                              "512,512,512,fp32,TN,,1,,,,1,k,s\n",
                          "cpu");
  EXPECT_EQ(rows[0].skipped, "type nvfp4 is not in the profile");
  EXPECT_EQ(rows[1].skipped, "m, n and k must be whole numbers >= 1");
  EXPECT_EQ(rows[2].skipped, "no measured time");
}

TEST(GemmRows, NeedAProfileFromFileNameOrFlag) {
  const auto rows = score("gemm_unknown_gpu.csv",
                          std::string(gemm_header) + "512,512,512,fp32,TN,900,1,,,,1,k,s\n", "");
  EXPECT_EQ(rows[0].skipped, "the file name names no profile preset: choose one with --profile");
}

TEST(ProfileOfFileName, FollowsTheTablesNames) {
  EXPECT_EQ(profile_of_file_name("measured/gemm_h100_sxm.csv", "gemm_"), "h100-sxm");
  EXPECT_EQ(profile_of_file_name("attention_a100_sxm_80gb.csv", "attention_"), "a100-sxm-80gb");
  EXPECT_EQ(profile_of_file_name("gemm_mi300x.csv", "gemm_"), "");
  EXPECT_EQ(profile_of_file_name("h100_sxm.csv", "gemm_"), "");
}

TEST(SetPrediction, SpreadsALogNormal) {
  ScoredRow row;
  set_prediction(row, {Seconds{2.0}, 0.1, Basis::measured});
  EXPECT_EQ(row.predicted, 2.0);
  EXPECT_EQ(row.basis, "measured");
  // ln(p90 / p50) = 1.2816 sigma (the 90 % quantile of a standard normal).
  EXPECT_NEAR(std::log(*row.p90 / 2.0), 0.12816, 1e-5);
  EXPECT_NEAR(*row.p10 * *row.p90, 4.0, 1e-12);
}

const char* const attention_header =
    "batch,seq_q,seq_kv,heads_q,heads_kv,head_dim_qk,head_dim_v,causal,dtype,direction,"
    "measured_us,tflops_causal_counted,impl,value_kind,source\n";

TEST(AttentionRows, PredictForwardBackwardAndBoth) {
  const std::string shape = "1,4096,4096,32,8,128,128,1,bf16,";
  const auto rows = score("attention_h100_sxm.csv",
                          attention_header + shape + "fwd,300,1,sglang:fa3,t,s\n" + shape +
                              "bwd,900,1,FA3,t,s\n" + shape + "fwd+bwd,1200,1,FA3,t,s\n",
                          "");
  ASSERT_EQ(rows.size(), 3U);
  for (const ScoredRow& row : rows) EXPECT_EQ(row.skipped, "") << row.id;
  EXPECT_GT(rows[1].predicted, rows[0].predicted);
  EXPECT_DOUBLE_EQ(rows[2].predicted, rows[0].predicted + rows[1].predicted);
}

TEST(AttentionRows, SkipOtherKernelsAndShapes) {
  const auto rows = score("attention_h100_sxm.csv",
                          std::string(attention_header) +
                              "1,4096,4096,32,8,128,128,1,bf16,fwd,300,1,FA4,t,s\n"
                              "1,4096,4096,32,8,192,128,1,bf16,fwd,300,1,FA3,t,s\n"
                              "1,4096,4096,32,8,128,128,1,fp8,fwd,300,1,FA3,t,s\n"
                              "1,4096,4096,32,8,128,128,1,bf16,up,300,1,FA3,t,s\n",
                          "");
  EXPECT_EQ(rows[0].skipped, "kernel FA4 is not modelled");
  EXPECT_EQ(rows[1].skipped, "different head widths of queries and values are not modelled");
  EXPECT_EQ(rows[2].skipped, "type fp8 is not modelled");
  EXPECT_EQ(rows[3].skipped, "direction up is none of fwd, bwd, fwd+bwd");
}

}  // namespace
}  // namespace stepcast

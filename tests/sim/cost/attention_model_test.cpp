#include "sim/cost/attention_model.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace stepcast {
namespace {

AttentionShape shape(std::int64_t query, std::int64_t key, bool causal, std::int64_t heads = 8) {
  return {.batch = 2,
          .query_length = query,
          .key_length = key,
          .heads = heads,
          .kv_heads = 2,
          .head_dim = 128,
          .causal = causal};
}

TEST(AttentionWork, CountsTheTriangleOfACausalMask) {
  // 4 queries see 1, 2, 3, 4 keys.
  const AttentionWork work = attention_work(shape(4, 4, true));
  EXPECT_DOUBLE_EQ(work.mean_keys, 2.5);
  EXPECT_DOUBLE_EQ(work.queries, 2 * 8 * 4);
  EXPECT_DOUBLE_EQ(work.causal_length(), 4.0);
  EXPECT_DOUBLE_EQ(work.batch_heads(), 16.0);
  EXPECT_DOUBLE_EQ(work.group, 4.0);
}

TEST(AttentionWork, AlignsACausalMaskAtTheEnd) {
  // 2 queries after 6 earlier keys see 7 and 8.
  EXPECT_DOUBLE_EQ(attention_work(shape(2, 8, true)).mean_keys, 7.5);
}

TEST(AttentionWork, CountsAllKeysOfADenseMask) {
  const AttentionWork work = attention_work(shape(1024, 512, false));
  EXPECT_DOUBLE_EQ(work.mean_keys, 512.0);
  EXPECT_DOUBLE_EQ(work.last_keys, 512.0);
}

// One multiprocessor would take `sms` times as long as the device.
GemmDevice device(double sms) { return {sms, FlopsPerSecond{1e12}, BytesPerSecond{1e12}}; }

AttentionBase plain() {
  return {.share = {{128, 0.5}}, .ramp_length = 0.0, .tail_power = 1.0, .fixed = Seconds{0.0}};
}

TEST(AttentionBase, TakesFourOperationsAPairAndDimension) {
  // 2 x 8 x 1024 queries x 512.5 keys x 4 x 128 operations at 0.5 TFLOP/s; the tail of
  // 4 x 128 x 128 x 1024 operations at a 1e9th of that is left out by a large device.
  const double body = 2.0 * 8 * 1024 * 512.5 * 4 * 128 / 0.5e12;
  const double tail = 4.0 * 128 * 128 * 1024 / 0.5e12;
  const AttentionWork work = attention_work(shape(1024, 1024, true));
  EXPECT_NEAR(attention_base_time(device(1.0), plain(), work).value(), body + tail, 1e-12);
}

TEST(AttentionBase, WaitsForTheLastRows) {
  AttentionBase base = plain();
  base.tail_power = 64.0;  // the larger of both
  const double tail = 4.0 * 128 * 128 * 1024 / (0.5e12 / 1000.0);
  const AttentionWork work = attention_work(shape(1024, 1024, true));
  EXPECT_NEAR(attention_base_time(device(1000.0), base, work).value() / tail, 1.0, 1e-9);
}

TEST(AttentionBase, WastesHalfARampOnCausalAndAQuarterOnDenseCalls) {
  AttentionBase base = plain();
  const auto body = [&](double ramp, bool causal) {
    base.ramp_length = ramp;
    return attention_base_time(device(1.0), base, attention_work(shape(1024, 1024, causal)))
        .value();
  };
  const double per_key = 2.0 * 8 * 1024 * 4 * 128 / 0.5e12;
  EXPECT_NEAR(body(800.0, true) - body(0.0, true), 400.0 * per_key, 1e-12);
  EXPECT_NEAR(body(800.0, false) - body(0.0, false), 200.0 * per_key, 1e-12);
}

Profile profile() {
  Profile profile;
  profile.name = "test";
  profile.device.name = "GPU";
  profile.device.multiprocessors = 1;
  profile.device.peak[DataType::bf16] = FlopsPerSecond{1e12};
  profile.device.memory_bandwidth = BytesPerSecond{1e12};
  profile.attention_fit.base = plain();
  profile.attention_fit.kriging.noise = 0.0;
  const auto constant = [&](const std::string& name, double value) {
    profile.constants[name] = {value, "", "", "", ""};
  };
  constant("attention.backward_ratio", 3.0);
  constant("attention.backward_ratio.64", 2.5);
  constant("attention.time_factor.cudnn", 1.2);
  constant("attention.time_factor.flash2", 2.0);
  constant("attention.backward_time_factor.flash2", 1.8);
  constant("attention.width_rate.96", 0.9);
  return profile;
}

void measure(Profile& profile, const AttentionShape& call, double time_us,
             AttentionPass pass = AttentionPass::forward,
             AttentionKernel kernel = AttentionKernel::flash3) {
  profile.attention.push_back({call, pass, kernel, microseconds(time_us)});
}

double us(const AttentionModel& model, const AttentionShape& call, AttentionPass pass,
          AttentionKernel kernel = AttentionKernel::flash3) {
  return model.time(call, pass, kernel).time.value() * 1e6;
}

constexpr auto forward = AttentionPass::forward;
constexpr auto backward = AttentionPass::backward;

TEST(AttentionModel, ReturnsTheMeasurementOfAMeasuredCall) {
  Profile p = profile();
  measure(p, shape(1024, 1024, true), 70.0);
  measure(p, shape(1024, 1024, true), 250.0, backward);
  measure(p, shape(1024, 1024, false), 130.0, forward, AttentionKernel::triton);
  const AttentionModel model(p);
  EXPECT_DOUBLE_EQ(us(model, shape(1024, 1024, true), forward), 70.0);
  EXPECT_DOUBLE_EQ(us(model, shape(1024, 1024, true), backward), 250.0);
  EXPECT_DOUBLE_EQ(us(model, shape(1024, 1024, false), forward, AttentionKernel::triton), 130.0);
  EXPECT_EQ(model.time(shape(1024, 1024, true), forward, AttentionKernel::flash3).basis,
            Basis::measured);
}

TEST(AttentionModel, ScalesForwardToBackwardAndToOtherKernels) {
  Profile p = profile();
  measure(p, shape(1024, 1024, true), 70.0);
  const AttentionModel model(p);
  const AttentionShape call = shape(1024, 1024, true);
  EXPECT_NEAR(us(model, call, backward), 70.0 * 3.0, 1e-9);
  EXPECT_NEAR(us(model, call, forward, AttentionKernel::cudnn), 70.0 * 1.2, 1e-9);
  EXPECT_NEAR(us(model, call, backward, AttentionKernel::cudnn), 70.0 * 1.2 * 3.0, 1e-9);
  EXPECT_NEAR(us(model, call, forward, AttentionKernel::flash2), 70.0 * 2.0, 1e-9);
  EXPECT_NEAR(us(model, call, backward, AttentionKernel::flash2), 70.0 * 1.8 * 3.0, 1e-9);
  EXPECT_EQ(model.time(call, backward, AttentionKernel::flash3).basis, Basis::interpolated);
}

TEST(AttentionModel, RoundsOtherWidthsUpToMultiplesOf32) {
  Profile p = profile();
  measure(p, shape(1024, 1024, true), 70.0);
  const AttentionModel model(p);
  AttentionShape call = shape(1024, 1024, true);
  call.head_dim = 40;  // computes 64 of 128
  EXPECT_NEAR(us(model, call, forward), 35.0, 1e-9);
  EXPECT_NEAR(us(model, call, backward), 35.0 * 2.5, 1e-9);
  call.head_dim = 80;  // computes 96 of 128, at 0.9 of the rate
  EXPECT_NEAR(us(model, call, forward), 70.0 * 0.75 / 0.9, 1e-9);
  call.head_dim = 160;  // more than measured
  EXPECT_NEAR(us(model, call, forward), 70.0 * 160 / 128, 1e-9);
  EXPECT_EQ(model.time(call, forward, AttentionKernel::flash3).basis, Basis::extrapolated);
}

TEST(AttentionModel, CarriesTheResidualToADenseCall) {
  // Measured: causal over 1023 tokens, base time b. A dense call of half as many queries on 512
  // keys has the same mean keys (512); place and residual are the same, so times keep the ratio of
  // their base times.
  Profile p = profile();
  const AttentionShape causal = shape(1023, 1023, true);
  measure(p, causal, 123.0);
  const AttentionModel model(p);
  const AttentionShape dense = shape(1023, 512, false);
  const GemmDevice one = device(1.0);
  const double ratio = attention_base_time(one, plain(), attention_work(dense)) /
                       attention_base_time(one, plain(), attention_work(causal));
  EXPECT_NEAR(us(model, dense, forward), 123.0 * ratio, 1e-9);
}

TEST(AttentionModel, TakesTheKernelWithMostForwardPointsForMain) {
  Profile p = profile();
  measure(p, shape(512, 512, true), 20.0, forward, AttentionKernel::cudnn);
  measure(p, shape(1024, 1024, true), 70.0, forward, AttentionKernel::cudnn);
  measure(p, shape(1024, 1024, true), 60.0, forward, AttentionKernel::flash3);
  EXPECT_EQ(AttentionModel(p).main_kernel(), AttentionKernel::cudnn);
}

TEST(AttentionModel, IsAnalyticalWithoutMeasurements) {
  const AttentionModel model(profile());
  const AttentionShape call = shape(1024, 1024, true);
  const Estimate estimate = model.time(call, forward, AttentionKernel::flash2);
  EXPECT_EQ(estimate.basis, Basis::analytical);
  EXPECT_NEAR(estimate.time / attention_base_time(device(1.0), plain(), attention_work(call)), 1.0,
              1e-12);
}

TEST(AttentionModel, PredictsACallWithoutItself) {
  Profile p = profile();
  p.attention_fit.kriging.length_sequence = 1.0;
  measure(p, shape(1024, 1024, true), 70.0);
  const AttentionModel model(p);
  const double base =
      attention_base_time(device(1.0), plain(), attention_work(shape(1024, 1024, true))).value();
  EXPECT_NEAR(model.forward_without(shape(1024, 1024, true)).time.value(), base, 1e-12);
}

// Figures 5 and 6 of the FlashAttention-3 paper (arXiv 2407.08608), H100, head width 128, 16 heads,
// 16k tokens in all: TFLOP/s of the forward call, causal ones counted as half.
TEST(AttentionModel, AgreesWithTheFlashAttention3Figures) {
  Profile h100 = load_profile("h100-sxm");
  // The figures' own points would answer for themselves.
  std::erase_if(h100.attention, [](const AttentionPoint& p) {
    return p.shape.heads == 16 && p.shape.kv_heads == 16 &&
           p.shape.batch * p.shape.query_length == 16384;
  });
  const AttentionModel model(h100);
  struct Row {
    std::int64_t batch, length;
    bool causal;
    double tflops, tolerance;
  };
  const std::vector<Row> rows{{4, 4096, true, 579, 0.06},  {2, 8192, true, 602, 0.06},
                              {1, 16384, true, 616, 0.06}, {16, 1024, false, 565, 0.14},
                              {4, 4096, false, 638, 0.06}, {1, 16384, false, 648, 0.06}};
  for (const Row& row : rows) {
    const AttentionShape call{row.batch, row.length, row.length, 16, 16, 128, row.causal};
    const double pairs = static_cast<double>(row.length * row.length) * (row.causal ? 0.5 : 1.0);
    const double flops = 4.0 * 128 * 16 * static_cast<double>(row.batch) * pairs;
    const double seconds = model.time(call, forward, AttentionKernel::flash3).time.value();
    EXPECT_NEAR(flops / seconds / 1e12 / row.tflops, 1.0, row.tolerance)
        << row.length << (row.causal ? " causal" : " dense");
  }
}

}  // namespace
}  // namespace stepcast

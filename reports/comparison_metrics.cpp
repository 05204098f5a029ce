#include "reports/comparison_metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/breakdown.hpp"
#include "reports/text_table.hpp"

namespace stepcast {

namespace {

std::string whole(double value) { return fmt::format("{:.0f}", value); }

double peak_allocated(const Prediction& p) {
  return p.memory.empty() ? 0.0 : p.memory[fullest_stage(p)].peak_allocated.value();
}

double gpu_hours_per_trillion_tokens(const Prediction& p) {
  return 1e12 / p.tokens_per_s_per_gpu / 3600.0;
}

}  // namespace

const std::vector<ComparisonMetric>& comparison_metrics() {
  using P = Prediction;
  static const std::vector<ComparisonMetric> metrics{
      {"step_time_s", "step time (s)", [](const P& p) { return p.step_p50.value(); }, three_digits},
      {"step_time_p10_s", "  P10 (s)", [](const P& p) { return p.step_p10.value(); }, three_digits},
      {"step_time_p90_s", "  P90 (s)", [](const P& p) { return p.step_p90.value(); }, three_digits},
      {"tokens_per_s", "tokens/s", [](const P& p) { return p.tokens_per_s; }, three_digits},
      {"tokens_per_s_per_gpu", "tokens/s/GPU", [](const P& p) { return p.tokens_per_s_per_gpu; },
       three_digits},
      {"model_tflops_per_gpu_causal", "TFLOP/s/GPU causal",
       [](const P& p) { return p.model_flops_per_gpu_causal.value() / 1e12; }, three_digits},
      {"model_tflops_per_gpu_full", "TFLOP/s/GPU full",
       [](const P& p) { return p.model_flops_per_gpu_full.value() / 1e12; }, three_digits},
      {"mfu_causal", "MFU causal (%)", [](const P& p) { return p.mfu_causal; }, percent},
      {"mfu_full", "MFU full (%)", [](const P& p) { return p.mfu_full; }, percent},
      {"hfu", "HFU (%)", [](const P& p) { return p.hfu; }, percent},
      {"gpus", "GPUs", [](const P& p) { return static_cast<double>(p.gpus); }, whole},
      {"gpu_hours_per_1e12_tokens", "GPU-hours per 1e12 tokens", gpu_hours_per_trillion_tokens,
       three_digits},
      {"peak_allocated_bytes", "peak allocated (GiB)", peak_allocated, gib},
      {"memory_needed_bytes", "with overhead (GiB)",
       [](const P& p) { return memory_needed(p).value(); }, gib},
      {"memory_headroom_bytes", "free (GiB)", memory_headroom, gib},
  };
  return metrics;
}

std::string verdict_words(MemoryVerdict verdict) {
  switch (verdict) {
    case MemoryVerdict::fits: return "fits";
    case MemoryVerdict::tight: return "tight";
    case MemoryVerdict::out_of_memory: return "out of memory";
  }
  return "";
}

std::string verdict_key(MemoryVerdict verdict) {
  return verdict == MemoryVerdict::out_of_memory ? "out_of_memory" : verdict_words(verdict);
}

double memory_headroom(const Prediction& p) {
  return (p.memory_capacity - memory_needed(p)).value();
}

double tokens_of_step(const Prediction& p) { return p.tokens_per_s * p.step_p50.value(); }

bool same_work(const Prediction& a, const Prediction& b) {
  const double ta = tokens_of_step(a), tb = tokens_of_step(b);
  return a.gpus == b.gpus && std::fabs(ta - tb) <= 1e-9 * std::max(ta, tb);
}

bool intervals_overlap(const Prediction& a, const Prediction& b) {
  const auto rate = [](const Prediction& p, Seconds step) {
    return p.tokens_per_s_per_gpu * (p.step_p50 / step);
  };
  return rate(a, a.step_p90) <= rate(b, b.step_p10) && rate(b, b.step_p90) <= rate(a, a.step_p10);
}

double per_million_tokens(const Prediction& p) {
  return static_cast<double>(p.gpus) * 1e6 / tokens_of_step(p);
}

}  // namespace stepcast

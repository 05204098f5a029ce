#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "reports/forecast.hpp"
#include "sim/parallel/run_json.hpp"
#include "sim/predict/prediction.hpp"

namespace stepcast::report_fixtures {

// Llama-3-8B on one server, two pipeline stages.
inline Run small_run() {
  return parse_run("run.json", nlohmann::json::parse(R"({
    "model": "llama-3-8b", "cluster": "dgx-h100:1",
    "parallel": {"tensor": 4, "pipeline": 2},
    "training": {"sequence_length": 8192, "global_batch": 8}})"));
}

// Parts in eighths of a second, so that sums are exact: 7 s without the bubble.
inline StageBreakdown stage_breakdown(std::int64_t stage, double bubble) {
  StageBreakdown out;
  out.stage = stage;
  out.gemm = Seconds{4.0};
  out.attention = Seconds{0.75};
  out.memory_bound = Seconds{0.375};
  out.recompute = Seconds{0.5};
  out.optimizer = Seconds{0.25};
  out.host = Seconds{0.25};
  out.exposed_tensor = Seconds{0.5};
  out.exposed_pipeline = Seconds{0.25};
  out.exposed_data = Seconds{0.125};
  out.bubble = Seconds{bubble};
  out.total = Seconds{7.0 + bubble};
  return out;
}

inline StageMemory stage_memory(std::int64_t stage, double activations_gib) {
  StageMemory out;
  out.stage = stage;
  out.parameters = gibibytes(4);
  out.gradients = gibibytes(8);
  out.optimizer = gibibytes(12);
  out.activations = gibibytes(activations_gib);
  out.transient = gibibytes(2);
  out.overhead = gibibytes(3);
  out.static_allocated = gibibytes(24);
  out.peak_allocated = gibibytes(26 + activations_gib);
  out.peak_at = Seconds{1.5};
  out.alive_at_peak = {{"optimizer state", gibibytes(12)},
                       {"query, key, value", gibibytes(activations_gib)},
                       {"gradients", gibibytes(8)},
                       {"parameters", gibibytes(4)},
                       {"logits", gibibytes(2)}};
  out.timeline = {{Seconds{0.0}, gibibytes(24)}, {Seconds{1.5}, gibibytes(26 + activations_gib)}};
  return out;
}

// An 8 s step of two stages; the first waits least and holds most.
inline Prediction small_prediction() {
  Prediction p;
  p.step_p10 = Seconds{7.5};
  p.step_p50 = Seconds{8.0};
  p.step_p90 = Seconds{8.75};
  p.tokens_per_s = 8192.0;  // 8 sequences of 8192 tokens in 8 s
  p.tokens_per_s_per_gpu = 1024.0;
  p.model_flops_per_gpu_causal = FlopsPerSecond{400e12};
  p.model_flops_per_gpu_full = FlopsPerSecond{425e12};
  p.hardware_flops_per_gpu = FlopsPerSecond{450e12};
  p.mfu_causal = 0.404;
  p.mfu_full = 0.43;
  p.hfu = 0.455;
  p.gpus = 8;
  p.micro_batches = 8;
  p.breakdown = {stage_breakdown(0, 1.0), stage_breakdown(1, 1.0)};
  p.breakdown[1].gemm = Seconds{3.5};
  p.breakdown[1].bubble = Seconds{1.5};
  p.communication = {{"tensor", "all_reduce", "ring", "simple", 4, Bytes{2.5e9}, 512, Seconds{0.75},
                      Seconds{0.5}, BytesPerSecond{350e9}, "nvlink"},
                     {"pipeline", "send_recv", "point_to_point", "simple", 2, Bytes{1e9}, 16,
                      Seconds{0.25}, Seconds{0.25}, BytesPerSecond{20e9}, "nvlink"}};
  p.links = {{"nvlink", BytesPerSecond{450e9}, 0.125, 0.75}};
  p.verdict = MemoryVerdict::fits;
  p.memory_capacity = gibibytes(80);
  p.worst_stage = 0;
  p.memory = {stage_memory(0, 30.0), stage_memory(1, 10.0)};
  p.basis = {0.25, 0.5, 0.125, 0.125};
  p.warnings = {{"few_micro_batches", "8 micro-batches for 2 stages: raise global_batch"}};
  p.sources = {"tables of somebody"};
  p.events = 12345;
  return p;
}

inline Forecast forecast(std::string label, Prediction prediction) {
  Forecast out;
  out.label = std::move(label);
  out.prediction = std::move(prediction);
  out.inputs = {{"model", "llama-3-8b"},
                {"cluster", "dgx-h100:1"},
                {"framework", "megatron"},
                {"parallel.tensor", "4"},
                {"parallel.pipeline", "2"},
                {"parallel.data", "1"},
                {"parallel.context", "1"},
                {"parallel.schedule", "1f1b"},
                {"parallel.virtual_stages", "1"},
                {"parallel.sharding", "none"},
                {"training.sequence_length", "8192"},
                {"training.global_batch", "8"},
                {"training.micro_batch", "1"},
                {"training.precision", "bf16"},
                {"training.recompute.kind", "none"}};
  return out;
}

}  // namespace stepcast::report_fixtures

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/sim_time.hpp"
#include "common/units.hpp"
#include "sim/memory/memory.hpp"
#include "sim/parallel/run.hpp"

namespace stepcast {

// Where the time of one pipeline stage's step goes; the parts sum to `total`, which is the step
// time.
struct StageBreakdown {
  std::int64_t stage = 0;
  Seconds gemm, attention, memory_bound;  // forward and backward, recompute apart
  Seconds exposed_tensor, exposed_context, exposed_pipeline, exposed_data, exposed_expert,
      exposed_other;
  Seconds bubble;
  Seconds recompute;
  Seconds optimizer;
  Seconds host;  // launch gaps and host-bound time
  Seconds total;
};

struct CommunicationTotal {
  std::string group;  // tensor, context, pipeline, data, embedding, model
  std::string op, algorithm, protocol;
  std::int64_t ranks = 0;
  Bytes bytes_per_rank;  // sent by one rank in a step
  std::int64_t calls = 0;
  Seconds time, exposed;
  BytesPerSecond busbw;
  std::string tier;  // slowest tier crossed
};

struct LinkUtilisation {
  std::string tier;
  BytesPerSecond capacity;
  double mean = 0.0, peak = 0.0;
};

// Shares of predicted busy time by where its cost comes from; they sum to 1.
struct BasisShares {
  double measured = 0.0, interpolated = 0.0, extrapolated = 0.0, analytical = 0.0;
};

struct Warning {
  std::string code, message;
};

// Which bars of the trace to keep. The outline leaves out what happens inside a forward or
// backward: exchanges between stages, of gradients and parameters, and the optimizer stay.
enum class KeepTrace { no, outline, yes };

// One bar of the trace: an operation on a lane of one stage's representative rank.
struct Span {
  std::int32_t stage = 0;
  std::string lane;  // "compute", "tensor", "context", "pipeline", "data", ...
  std::string name;
  std::string category;  // compute, recompute, optimizer, host, communication
  SimTime start, end;
};

struct Prediction {
  Seconds step_p10, step_p50, step_p90;
  double tokens_per_s = 0.0, tokens_per_s_per_gpu = 0.0;
  FlopsPerSecond model_flops_per_gpu_causal, model_flops_per_gpu_full, hardware_flops_per_gpu;
  double mfu_causal = 0.0, mfu_full = 0.0, hfu = 0.0;
  std::int64_t gpus = 0, micro_batches = 0;
  std::vector<StageBreakdown> breakdown;
  std::vector<CommunicationTotal> communication;
  std::vector<LinkUtilisation> links;
  MemoryVerdict verdict = MemoryVerdict::fits;
  Bytes memory_capacity;
  std::int64_t worst_stage = 0;
  std::vector<StageMemory> memory;
  BasisShares basis;
  std::vector<Warning> warnings;
  std::vector<std::string> sources;  // of the profile
  std::uint64_t events = 0;          // of the simulation
};

}  // namespace stepcast

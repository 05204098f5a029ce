#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/units.hpp"
#include "models/data_type.hpp"
#include "sim/cost/attention_fit.hpp"
#include "sim/cost/cost_model.hpp"
#include "sim/cost/gemm_fit.hpp"

namespace stepcast {

struct DeviceFacts {
  std::string name;  // "H100-SXM-80GB"
  std::int64_t multiprocessors = 0;
  std::map<DataType, FlopsPerSecond> peak;  // dense; a type that is absent is not supported
  BytesPerSecond memory_bandwidth;
  Bytes memory;  // total that the driver reports to torch
  Bytes l2;
  double compute_capability = 0.0;
  BytesPerSecond nvlink_bandwidth;  // per direction
};

// One measured GEMM. `low` and `high` bound the spread over independently collected stacks.
struct GemmPoint {
  GemmShape shape;
  DataType type = DataType::bf16;
  Seconds time, low, high;
};

struct AttentionPoint {
  AttentionShape shape;
  AttentionPass pass = AttentionPass::forward;
  AttentionKernel kernel = AttentionKernel::flash2;
  Seconds time;
};

struct MemoryKernelRate {
  double bandwidth_share = 0.0;  // of device.memory_bandwidth, for large tensors
  Seconds fixed;                 // added once a kernel
  std::string source;            // "measured: ...", or "assumption: ..."
};

struct CollectivePoint {
  CollectiveOp op = CollectiveOp::all_reduce;
  std::int64_t ranks = 0;
  Bytes size;
  Seconds time;
};

// A number with a meaning and a source, by name ("network.p2p_efficiency").
struct Constant {
  double value = 0.0;
  std::string unit, meaning, source;
  std::string status;  // "measured", "published", "assumption" or "fitted: on what"
};

// Everything measured about one kind of GPU in one kind of server; see docs/profiles.md.
struct Profile {
  std::string name;
  DeviceFacts device;
  std::vector<GemmPoint> gemm;
  std::map<DataType, GemmFit> gemm_fit;  // a type that is absent has GemmFit's defaults
  std::vector<AttentionPoint> attention;
  AttentionFit attention_fit;
  std::map<MemoryKernel, MemoryKernelRate> memory_bound;
  std::vector<CollectivePoint> collectives;
  std::map<std::string, Constant> constants;
  std::vector<std::string> sources;

  // Throws InputError naming the profile and the constant when absent.
  [[nodiscard]] double constant(const std::string& name) const;
  [[nodiscard]] double constant(const std::string& name, double fallback) const;
};

// A preset name ("h100-sxm") or the path of a stepcast.profile document.
[[nodiscard]] Profile load_profile(const std::string& name_or_path);
[[nodiscard]] std::vector<std::string> profile_presets();

}  // namespace stepcast

#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/cost/profile.hpp"

namespace stepcast::calibrate {

// What to take from a folder of measurements for one profile, and what measurements do not say:
// device facts, memory-bound rates and constants, each with its source. Kept by hand in
// calibrate/constants/<profile>.json, compiled in.
struct ImportPlan {
  Profile profile;        // name, device, memory_bound, constants, sources; tables empty
  std::string gemm_file;  // empty: no table
  std::map<std::string, DataType> gemm_types;  // spelling in the file -> type
  // Where the table's device differs only in memory bandwidth: the bandwidth it was measured with.
  BytesPerSecond gemm_memory_bandwidth;
  std::string attention_file;
  std::map<std::string, AttentionKernel> attention_implementations;  // "impl" in the file -> kernel
  std::string kv_write_implementation;  // whose times include the KV-cache write
  std::string collectives_file;
  std::vector<std::string> collective_gpus;  // "gpu" in the file
  std::int64_t nvlink_domain = 8;            // most GPUs that reach each other over NVLink
};

// A plan's name ("h100-sxm") or the path of a stepcast.profile_import document. Throws InputError
// with every problem.
[[nodiscard]] ImportPlan load_import_plan(const std::string& name_or_path);
[[nodiscard]] std::vector<std::string> import_plans();

}  // namespace stepcast::calibrate

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/units.hpp"
#include "models/data_type.hpp"
#include "sim/cost/cost_model.hpp"
#include "sim/parallel/run.hpp"

namespace stepcast {

enum class NormKernels { two_pass, one_pass };
enum class WgradAccumulation { separate, fused };  // into the main gradient, or in the epilogue
enum class TensorAllReduce { synchronous, asynchronous };  // of the input gradient, in backward
enum class LossKernels { unfused, fused };
enum class PipelinePayload { whole, split_over_tensor };  // without sequence parallel

// How one release of a framework executes a layer: what is fused, what waits, what is kept apart.
// One record serves every run of that release; SEMANTICS 2-5 and the source named in each record.
struct FrameworkRules {
  std::string release;
  Framework framework = Framework::megatron;
  std::string source;
  NormKernels norm = NormKernels::one_pass;
  WgradAccumulation wgrad = WgradAccumulation::fused;
  TensorAllReduce tensor_all_reduce = TensorAllReduce::asynchronous;
  LossKernels loss = LossKernels::fused;
  PipelinePayload pipeline_payload = PipelinePayload::whole;
  bool separate_qkv_bias = false;
  // Bytes that the optimizer moves for each parameter that it owns, all passes (cast, unscale,
  // norm, clip, Adam, copy back).
  double optimizer_bytes_per_parameter = 0.0;
  // Passes over the whole gradient buffer outside the optimizer (scaling reads and writes, zeroing
  // writes).
  double gradient_passes = 0.0;
  // Gradient bytes on the wire for the data-parallel reduction when the run does not say.
  DataType reduce_type = DataType::fp32;
  AttentionKernel flash_kernel = AttentionKernel::flash2;        // Ampere, and fused attention off
  AttentionKernel flash_kernel_hopper = AttentionKernel::cudnn;  // compute capability >= 9
  // The host needs this long to issue one layer; a layer cannot be faster.
  Seconds host_floor_forward, host_floor_backward;
};

// The record named `release`, or the framework's newest when empty. Throws InputError
// ("framework_release ...: must be one of ...").
[[nodiscard]] const FrameworkRules& framework_rules(Framework framework,
                                                    const std::string& release);
[[nodiscard]] std::vector<std::string> framework_releases(Framework framework);

}  // namespace stepcast

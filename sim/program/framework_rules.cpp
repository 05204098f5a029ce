#include "sim/program/framework_rules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/errors.hpp"

namespace stepcast {
namespace {

// Newest first within a framework. Which kernels a release fuses is read from its source or from
// the papers' dates; where only timing speaks for a switch, the source says "inferred".
std::vector<FrameworkRules> make_records() {
  FrameworkRules core;
  core.release = "megatron-core";
  core.source =
      "NVIDIA/Megatron-LM d98e8a64dd megatron/core with TransformerEngine d0067d0da: fused norms, "
      "wgrad "
      "accumulation in the epilogue, fused cross entropy, asynchronous input-gradient all-reduce";
  core.optimizer_bytes_per_parameter = 30.0;  // SEMANTICS 12: r 4+4+4+4, w 4+4+4+2
  core.gradient_passes = 3.0;

  FrameworkRules nemo25 = core;
  nemo25.release = "nemo-25";
  nemo25.source = "NVIDIA/dgxc-benchmarking v25.04, v25.05: NeMo on Megatron-Core";

  FrameworkRules nemo24 = core;
  nemo24.release = "nemo-24";
  nemo24.source = "NVIDIA/dgxc-benchmarking v25.01: NeMo 24.05-24.12 containers";

  FrameworkRules nemo24_flash2 = nemo24;
  nemo24_flash2.release = "nemo-24-flash2";
  nemo24_flash2.source =
      "as nemo-24 with NVTE_FUSED_ATTN=0 (GPT-3 and Nemotron-340B launch scripts): "
      "FlashAttention-2";
  nemo24_flash2.flash_kernel_hopper = AttentionKernel::flash2;

  FrameworkRules megatron2022;
  megatron2022.release = "megatron-2022";
  megatron2022.source =
      "Korthikanti et al. 2022 (arXiv 2205.05198) and Megatron-LM of that spring: asynchronous "
      "all-reduce, fp32 accumulation in wgrad, persistent layer norm (inferred)";
  megatron2022.loss = LossKernels::unfused;
  megatron2022.pipeline_payload = PipelinePayload::split_over_tensor;
  megatron2022.optimizer_bytes_per_parameter =
      60.0;  // ACCURACY_A100 2: counted passes of the fp16 optimizer
  megatron2022.flash_kernel_hopper = AttentionKernel::flash2;

  FrameworkRules megatron2021 = megatron2022;
  megatron2021.release = "megatron-2021";
  megatron2021.source = "Narayanan et al. 2021 (arXiv 2104.04473), Megatron-LM v2.5-v2.6";
  megatron2021.norm = NormKernels::two_pass;
  megatron2021.wgrad = WgradAccumulation::separate;
  megatron2021.tensor_all_reduce = TensorAllReduce::synchronous;
  megatron2021.separate_qkv_bias = true;

  FrameworkRules deepspeed2023 = megatron2022;
  deepspeed2023.release = "megatron-deepspeed-2023";
  deepspeed2023.framework = Framework::deepspeed;
  deepspeed2023.source =
      "microsoft/Megatron-DeepSpeed of 2023: asynchronous all-reduce, persistent norm (inferred), "
      "separate fp16 accumulation; host floor fitted on vTrain's single-node rows";
  deepspeed2023.wgrad = WgradAccumulation::separate;
  deepspeed2023.host_floor_forward = Seconds{0.8e-3};
  deepspeed2023.host_floor_backward = Seconds{1.6e-3};

  FrameworkRules deepspeed2022 = deepspeed2023;
  deepspeed2022.release = "megatron-deepspeed-2022";
  deepspeed2022.source =
      "bigscience-workshop/Megatron-DeepSpeed of early 2022 (BLOOM), forked from Megatron-LM v2.6";
  deepspeed2022.norm = NormKernels::two_pass;
  deepspeed2022.tensor_all_reduce = TensorAllReduce::synchronous;
  deepspeed2022.separate_qkv_bias = true;

  FrameworkRules titan = core;
  titan.release = "torchtitan";
  titan.framework = Framework::torchtitan;
  titan.source = "pytorch/torchtitan b5bcd76c6 with torch.compile";
  titan.gradient_passes = 0.0;
  titan.flash_kernel_hopper = AttentionKernel::flash2;
  return {core,         nemo25,        nemo24,        nemo24_flash2, megatron2022,
          megatron2021, deepspeed2023, deepspeed2022, titan};
}

const std::vector<FrameworkRules>& records() {
  static const std::vector<FrameworkRules> all = make_records();
  return all;
}

}  // namespace

const FrameworkRules& framework_rules(Framework framework, const std::string& release) {
  for (const FrameworkRules& rules : records())
    if (rules.framework == framework && (release.empty() || rules.release == release)) return rules;
  throw InputError(
      {"", fmt::format("framework_release = \"{}\"", release),
       fmt::format("must be one of {}", fmt::join(framework_releases(framework), ", "))});
}

std::vector<std::string> framework_releases(Framework framework) {
  std::vector<std::string> names;
  for (const FrameworkRules& rules : records())
    if (rules.framework == framework) names.push_back(rules.release);
  return names;
}

}  // namespace stepcast

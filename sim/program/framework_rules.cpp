#include "sim/program/framework_rules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/errors.hpp"

namespace stepcast {
namespace {

// Which kernels a release fuses is read from its source or from the papers' dates; where only
// timing speaks for a switch, the source says "inferred".

FrameworkRules megatron_core() {
  FrameworkRules rules;
  rules.release = "megatron-core";
  rules.source =
      "NVIDIA/Megatron-LM d98e8a64dd megatron/core with TransformerEngine d0067d0da: fused norms, "
      "wgrad accumulation in the epilogue, fused cross entropy, asynchronous input-gradient "
      "all-reduce";
  rules.optimizer_bytes_per_parameter = 30.0;  // SEMANTICS 12: r 4+4+4+4, w 4+4+4+2
  rules.gradient_passes = 3.0;
  return rules;
}

FrameworkRules nemo(const char* release, const char* source) {
  FrameworkRules rules = megatron_core();
  rules.release = release;
  rules.source = source;
  return rules;
}

FrameworkRules nemo24_flash2() {
  FrameworkRules rules = nemo("nemo-24-flash2",
                              "as nemo-24 with NVTE_FUSED_ATTN=0 (GPT-3 and Nemotron-340B launch "
                              "scripts): FlashAttention-2");
  rules.flash_kernel_hopper = AttentionKernel::flash2;
  return rules;
}

FrameworkRules megatron_2022() {
  FrameworkRules rules;
  rules.release = "megatron-2022";
  rules.source =
      "Korthikanti et al. 2022 (arXiv 2205.05198) and Megatron-LM of that spring: asynchronous "
      "all-reduce, fp32 accumulation in wgrad, persistent layer norm (inferred)";
  rules.loss = LossKernels::unfused;
  rules.pipeline_payload = PipelinePayload::split_over_tensor;
  rules.optimizer_bytes_per_parameter = 60.0;  // ACCURACY_A100 2: passes of the fp16 optimizer
  rules.flash_kernel_hopper = AttentionKernel::flash2;
  return rules;
}

FrameworkRules as_in_2021(FrameworkRules rules) {
  rules.norm = NormKernels::two_pass;
  rules.wgrad = WgradAccumulation::separate;
  rules.tensor_all_reduce = TensorAllReduce::synchronous;
  rules.separate_qkv_bias = true;
  return rules;
}

FrameworkRules megatron_2021() {
  FrameworkRules rules = as_in_2021(megatron_2022());
  rules.release = "megatron-2021";
  rules.source = "Narayanan et al. 2021 (arXiv 2104.04473), Megatron-LM v2.5-v2.6";
  return rules;
}

FrameworkRules deepspeed_2023() {
  FrameworkRules rules = megatron_2022();
  rules.release = "megatron-deepspeed-2023";
  rules.framework = Framework::deepspeed;
  rules.source =
      "microsoft/Megatron-DeepSpeed of 2023: asynchronous all-reduce, persistent norm (inferred), "
      "separate fp16 accumulation; host floor fitted on vTrain's single-node rows";
  rules.wgrad = WgradAccumulation::separate;
  rules.host_floor_forward = Seconds{0.8e-3};
  rules.host_floor_backward = Seconds{1.6e-3};
  return rules;
}

FrameworkRules deepspeed_2022() {
  FrameworkRules rules = as_in_2021(deepspeed_2023());
  rules.release = "megatron-deepspeed-2022";
  rules.source =
      "bigscience-workshop/Megatron-DeepSpeed of early 2022 (BLOOM), forked from Megatron-LM v2.6";
  return rules;
}

FrameworkRules torchtitan() {
  FrameworkRules rules = megatron_core();
  rules.release = "torchtitan";
  rules.framework = Framework::torchtitan;
  rules.source = "pytorch/torchtitan b5bcd76c6 with torch.compile";
  rules.gradient_passes = 0.0;
  rules.flash_kernel_hopper = AttentionKernel::flash2;
  return rules;
}

// Newest first within a framework.
const std::vector<FrameworkRules>& records() {
  static const std::vector<FrameworkRules> all{
      megatron_core(),
      nemo("nemo-25", "NVIDIA/dgxc-benchmarking v25.04, v25.05: NeMo on Megatron-Core"),
      nemo("nemo-24", "NVIDIA/dgxc-benchmarking v25.01: NeMo 24.05-24.12 containers"),
      nemo24_flash2(),
      megatron_2022(),
      megatron_2021(),
      deepspeed_2023(),
      deepspeed_2022(),
      torchtitan()};
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

#include "sim/memory/memory_rules.hpp"

#include "sim/memory/overhead.hpp"

namespace stepcast {
namespace {

constexpr double mebibyte = 1048576.0;

bool is_hopper(const DeviceFacts& device) {
  return device.compute_capability >= 9.0 && device.compute_capability < 10.0;
}

// Pool :4096:2:16:8 (8.125 MiB) unless the device is a Hopper (32 MiB). [B] on A100, H100, B200.
Bytes default_cublas_workspace(const DeviceFacts& device) {
  return Bytes{is_hopper(device) ? 32 * mebibyte : 8.125 * mebibyte};
}

Bytes default_engine_workspace(const DeviceFacts& device) {
  return Bytes{device.compute_capability >= 9.0 ? 32 * mebibyte + 1024 : 4 * mebibyte};
}

// As large runs are launched (Megatron-Bridge, MooreThreads/SimuMax simu_tools/megatron_scripts):
// fused cross entropy and no mask from the data loader. Bare Megatron-LM has neither: the arguments
// of a run say so (megatron_arguments.hpp).
MemoryRules newest_megatron(const DeviceFacts& device) {
  MemoryRules rules;
  rules.release = "megatron-core";
  rules.cublas_workspace = default_cublas_workspace(device);
  rules.engine_workspace = default_engine_workspace(device);
  rules.scalars = Bytes{3584};
  rules.cross_entropy = CrossEntropy::engine_fused;
  rules.attention_mask = false;
  rules.dummy_head_gradient = device.compute_capability >= 9.0;
  rules.flash_layout_copy = device.compute_capability < 9.0;
  rules.fp8_weight_transposes = is_hopper(device);
  return rules;
}

// Before Transformer Engine: Megatron's own linears and apex's norms.
MemoryRules local_megatron(const DeviceFacts& device, const std::string& release) {
  MemoryRules rules = newest_megatron(device);
  rules.release = release;
  rules.transformer_engine = false;
  rules.engine_workspaces = 0;
  rules.dummy_weight_gradients = false;
  rules.dummy_head_gradient = false;
  rules.cross_entropy = CrossEntropy::unfused;
  rules.attention_mask = true;
  rules.flash_layout_copy = true;
  return rules;
}

bool starts_with(const std::string& text, const std::string& start) {
  return text.rfind(start, 0) == 0;
}

// NeMo containers: gradient accumulation fusion and native fused cross entropy on
// (NVIDIA/NeMo nemo/collections/llm/gpt/model/base.py GPTConfig), no mask for fused attention.
// Transformer Engine 1.x (24) has no dummy gradients, 2.x (25) has.
MemoryRules nemo(const DeviceFacts& device, const std::string& release) {
  MemoryRules rules = newest_megatron(device);
  rules.release = release;
  rules.cross_entropy = CrossEntropy::native_fused;
  rules.dummy_weight_gradients = starts_with(release, "nemo-25");
  rules.dummy_head_gradient = false;
  if (release == "nemo-24-flash2") rules.flash_layout_copy = true;
  return rules;
}

MemoryRules deepspeed(const Run& run, const DeviceFacts& device) {
  const bool named = starts_with(run.framework_release, "megatron-deepspeed");
  MemoryRules rules =
      local_megatron(device, named ? run.framework_release : "megatron-deepspeed-2023");
  rules.keeps_stage_input = false;
  rules.gradient_copy = GradientCopy::always;
  if (run.training.precision == DataType::bf16) {
    rules.working_gradients = Bytes{2};
    rules.optimizer_slack = Bytes{1};
  }
  return rules;
}

MemoryRules torchtitan(const DeviceFacts& device) {
  MemoryRules rules;
  rules.release = "torchtitan";
  rules.transformer_engine = false;
  rules.gradient_accumulation_fusion = false;
  rules.dummy_weight_gradients = false;
  rules.dummy_head_gradient = false;
  rules.cross_entropy = CrossEntropy::float32;
  rules.cublas_workspace = default_cublas_workspace(device);
  rules.engine_workspaces = 0;
  rules.attention_mask = false;
  rules.keeps_stage_input = false;
  rules.global_memory_buffer = false;
  rules.gradient_copy = GradientCopy::never;
  return rules;
}

MemoryRules record_for(const Run& run, const DeviceFacts& device) {
  if (run.framework == Framework::torchtitan) return torchtitan(device);
  if (run.framework == Framework::deepspeed) return deepspeed(run, device);
  const std::string& release = run.framework_release;
  if (release == "megatron-2021" || release == "megatron-2022")
    return local_megatron(device, release);
  if (starts_with(release, "megatron-deepspeed")) return deepspeed(run, device);
  if (starts_with(release, "nemo-")) return nemo(device, release);
  return newest_megatron(device);
}

}  // namespace

Bytes bytes_per_logit_in_forward(CrossEntropy variant) {
  switch (variant) {
    case CrossEntropy::unfused: return Bytes{6};
    case CrossEntropy::native_fused: return Bytes{10};
    case CrossEntropy::engine_fused: return Bytes{2};
    case CrossEntropy::float32: return Bytes{12};
  }
  return Bytes{0};
}

Bytes bytes_per_logit_kept(CrossEntropy variant) {
  return Bytes{variant == CrossEntropy::engine_fused ? 2.0 : 4.0};
}

std::string_view name_of(CrossEntropy variant) {
  switch (variant) {
    case CrossEntropy::unfused: return "unfused";
    case CrossEntropy::native_fused: return "native";
    case CrossEntropy::engine_fused: return "te";
    case CrossEntropy::float32: return "float32";
  }
  return "";
}

MemoryRules memory_rules_for(const Run& run, const DeviceFacts& device) {
  MemoryRules rules = record_for(run, device);
  rules.reserved_over_allocated = reserved_over_allocated(rules.release);
  rules.outside_allocator = outside_allocator(run, rules.release);
  return rules;
}

}  // namespace stepcast

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/units.hpp"
#include "sim/cost/profile.hpp"
#include "sim/parallel/run.hpp"

namespace stepcast {

// How the loss holds the logits (MEMORY_EXACT 5): bytes per logit at the worst moment of its
// forward, and what stays until its backward. The first two always hold 2 for the 16-bit logits.
enum class CrossEntropy {
  unfused,       // 6: a fp32 copy, turned into the softmax in place (Megatron cross_entropy.py)
  native_fused,  // 10: compiled, keeps the fp32 input beside the fp32 exponentials
  engine_fused,  // 2: Transformer Engine writes the gradient into the logits
  float32        // 12: fp32 log-softmax, its gradient and that of the loss (torchtitan)
};
[[nodiscard]] Bytes bytes_per_logit_in_forward(CrossEntropy variant);
[[nodiscard]] Bytes bytes_per_logit_kept(CrossEntropy variant);
[[nodiscard]] std::string_view name_of(CrossEntropy variant);

// The fp32 copy of this rank's shard of 16-bit gradients.
enum class GradientCopy {
  never,
  between_steps,  // from the step to the next zero_grad: never at the peak (Megatron optimizer.py)
  always          // DeepSpeed's FP16 ZeRO-1, as nvidia-smi sees it
};

// What one release of a framework on one kind of device allocates beside parameters and
// activations. Every switch is [S] read in the framework's source, [B] identified by matching
// measured bytes, or [F] fitted; MEMORY_EXACT 3 to 8 holds the evidence.
struct MemoryRules {
  std::string release;

  // Transformer Engine linears (else the framework's own "local" ones). [S]
  bool transformer_engine = true;
  // Weight gradients are added to the fp32 buffer by the GEMM itself; without it the LM head's
  // gradient exists once more in 16 bits for a moment. [S]
  bool gradient_accumulation_fusion = true;
  // Transformer Engine >= 2 keeps one 16-bit dummy gradient for each distinct weight shape when the
  // fusion is on (module/base.py get_dummy_wgrad); the LM head's came later (2026, not seen on
  // A100). [S], [B]
  bool dummy_weight_gradients = true;
  bool dummy_head_gradient = true;
  CrossEntropy cross_entropy = CrossEntropy::unfused;

  Bytes cublas_workspace;              // of one handle [B]
  std::int64_t cublas_handles = 2;     // forward thread and autograd thread [B]
  Bytes engine_workspace;              // Transformer Engine cpp_extensions/gemm.py [S]
  std::int64_t engine_workspaces = 1;  // + 3 with user buffers [S], count [B]
  Bytes scalars;                       // seven 512-byte blocks [B]

  // The data loader makes a boolean attention mask for each micro-batch. [S]
  bool attention_mask = true;
  // FlashAttention returns [batch, sequence]; with more than one sequence the [sequence, batch]
  // copy that feeds the projection is kept as well. cuDNN does not need it. [S]
  bool flash_layout_copy = false;
  // Softmax with mask and scale in one kernel: 2 bytes per score instead of 4. [S]
  bool masked_softmax_fusion = true;
  // A pipeline stage's model keeps its last input and the input's gradient. [S]
  bool keeps_stage_input = true;
  // A buffer that sequence-parallel gathers (and local unfused attention) share. [S]
  bool global_memory_buffer = true;
  // LM-head weight gradients put off into the cool-down: the gradient of the logits and the head's
  // input of the first so many micro-batches stay until then. [S]
  std::int64_t deferred_head_gradients = 0;
  // fp8 parameters also exist transposed, one more byte for each weight of a linear: Hopper's fp8
  // GEMM reads rows only. [B] on the golden fp8 rows of H100 against GB200
  bool fp8_weight_transposes = false;
  // Replicas of the sharded optimizer: its shard group is data * context / instances. [S]
  std::int64_t optimizer_instances = 1;
  // Bytes per parameter of 16-bit gradients beside the buffer that accumulates them: 2 under
  // DeepSpeed's BF16_Optimizer. [S] runtime/bf16_optimizer.py
  Bytes working_gradients;
  // Bytes per parameter beyond the count: 1 under the same. [F] on 13 BLOOM rows
  Bytes optimizer_slack;
  GradientCopy gradient_copy = GradientCopy::between_steps;

  // What the allocator reserves over what it allocates, and what lives outside it. [F]; see
  // overhead.hpp.
  double reserved_over_allocated = 1.0;
  Bytes outside_allocator;
};

// The record that run.framework and run.framework_release name; unknown or empty: the newest of
// that framework. Known: those of sim/program/framework_rules.hpp.
[[nodiscard]] MemoryRules memory_rules_for(const Run& run, const DeviceFacts& device);

}  // namespace stepcast

#pragma once

#include "sim/memory/memory_rules.hpp"
#include "sim/memory/tensor_list.hpp"
#include "sim/parallel/run.hpp"

namespace stepcast {

// Tensors that live only inside one part of a forward or backward, on top of what is saved.
// Source: MEMORY_EXACT 5.

// The loss's forward: 16-bit logits and the fp32 copies beyond what head_activations keeps.
[[nodiscard]] TensorList loss_forward(const Run& run, const MemoryRules& rules);
// The loss's backward: the 16-bit gradient of the logits beside the fp32 one.
[[nodiscard]] TensorList loss_backward(const Run& run, const MemoryRules& rules);
// The LM head's GEMMs: gradient of the logits, of the gathered input, of its shard; of the weight.
// The gradient of the logits that the loss kept is not counted again.
[[nodiscard]] TensorList head_backward(const Run& run, const MemoryRules& rules);

// What a deferred weight gradient of the LM head keeps of a micro-batch.
[[nodiscard]] TensorList deferred_head_gradient(const Run& run);

// Forward of ring or all-gather context-parallel attention: everyone's keys and values and the
// partial outputs until they are merged (SEMANTICS 3.5), on the last rank of the ring.
[[nodiscard]] TensorList attention_forward(const Run& run);

[[nodiscard]] TensorList mlp_backward(const Run& run);
[[nodiscard]] TensorList attention_backward(const Run& run);

// Megatron's interleaved schedule with overlapped sends: the next input received early, the
// gradient under way and the one before it. [B] three hidden states on the last rank of the golden
// PP4 rows, at 4 MiB and at 64 MiB each.
[[nodiscard]] TensorList interleaved_messages(const Run& run);

// One hidden state: a gradient received, sent or kept.
[[nodiscard]] TensorList hidden_gradient(const Run& run, const std::string& name);

}  // namespace stepcast

#pragma once

namespace stepcast {

// Bytes per element of the tensor named in each kernel. Two-byte activations; one-byte masks.
namespace bytes {
constexpr double norm_forward = 4;            // read, write
constexpr double norm_backward_one_pass = 6;  // read dy, x; write dx
constexpr double norm_backward_two_pass =
    10;                             // a second kernel reads dy and x for the weight gradient
constexpr double add_residual = 6;  // read x and residual, write
constexpr double add_residual_dropout = 7;  // and the mask
constexpr double dropout_backward = 5;      // read dy and mask, write dx
constexpr double dropout = 5;               // read, write, mask
constexpr double bias_gradient = 2;         // read dy
constexpr double separate_bias = 4;         // read, write
constexpr double rotary = 4;                // read, write
constexpr double copy = 4;
constexpr double activation = 4;           // GELU and kin: read, write
constexpr double activation_backward = 6;  // read dy and x, write dx
constexpr double gated = 6;                // read gate and up, write
constexpr double gated_backward = 10;      // read dy, gate, up; write two gradients
constexpr double softmax_forward = 3;      // causal, fused: reads the triangle, writes the square
constexpr double softmax_backward = 4;
// Cross entropy per logit. Unfused vocabulary-parallel loss in fp32 (Megatron-LM
// core/tensor_parallel/cross_entropy.py, passes counted); fused: 17 ps per token and vocabulary
// entry on an H100 for both directions (Liger-Kernel benchmark, "megatron-fused"), as bytes at 0.87
// of 3.35 TB/s.
constexpr double loss_unfused_forward = 30;
constexpr double loss_unfused_backward = 26;
constexpr double loss_fused_forward = 28;
constexpr double loss_fused_backward = 21.5;
// Ring attention of TransformerEngine (dot_product_attention/context_parallel.py): each step's
// output is scaled by its softmax share (read, write) and added (read two, write one); partial K,
// V, Q and gradient tensors are copied to be contiguous.
constexpr double merge_partial = 10;
constexpr double accumulate_gradient = 6;  // read two, write one
constexpr double embedding_weight_gradient =
    12;  // dense gradient written (2), added to fp32 (2 + 4 + 4)
}  // namespace bytes

}  // namespace stepcast

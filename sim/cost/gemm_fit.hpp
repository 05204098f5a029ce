#pragma once

#include <array>
#include <cstdint>

#include "common/units.hpp"

namespace stepcast {

// Output tiles that the analytical GEMM model may choose from, rows x columns (both orders are
// tried). CUTLASS and cuBLAS kernels of Ampere, Hopper and Blackwell use these shapes.
struct TileShape {
  std::int64_t rows = 0, columns = 0;
};
inline constexpr std::array<TileShape, 5> gemm_tiles{
    {{256, 256}, {256, 128}, {128, 128}, {128, 64}, {64, 64}}};

// Parameters of the analytical GEMM time (see gemm_base.hpp), fitted to one GPU and one data type.
struct GemmBase {
  std::array<double, gemm_tiles.size()> tile_share{0.75, 0.80, 0.75, 0.6, 0.4};  // of peak
  double prologue_k = 128.0;    // steps of k that filling and draining a tile costs
  double wave_smoothing = 0.0;  // 0: whole waves; 1: work spreads evenly over multiprocessors
  double memory_share = 0.85;   // of device.memory_bandwidth
  Seconds fixed{3e-6};          // once a kernel
  double droop = 0.0;           // time grows by this share per factor e beyond 1 ms (power)
  double split_cost = 1.0;      // weight of the traffic of split-k partial sums
  double quantise_bytes = 0.0;  // per element of the activation, moved before the product
};

// Parameters of the correction by measured neighbours (see gemm_model.hpp). Lengths are in
// octaves: how far apart along one axis two residuals still resemble each other.
struct GemmKriging {
  double length_m = 2.0, length_n = 2.0, length_k = 8.0;
  double amplitude = 0.15;     // standard deviation of ln(measured / base)
  double noise = 0.02;         // of one measurement
  double mirror_noise = 0.03;  // more, when (n, m, k) stands for (m, n, k)
};

// |ln(predicted / measured)| over points that were left out of the table.
struct HeldOutError {
  double median = 0.0, p90 = 0.0, bias = 0.0;
  std::int64_t points = 0;
};

struct GemmFit {
  GemmBase base;
  GemmKriging kriging;
  HeldOutError base_alone;  // the analytical model without neighbours, in sample
  HeldOutError site;        // whole (n, k) sites left out
  HeldOutError point;       // every tenth point left out
};

}  // namespace stepcast

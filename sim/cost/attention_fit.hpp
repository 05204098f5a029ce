#pragma once

#include <cstdint>
#include <map>

#include "common/units.hpp"
#include "sim/cost/gemm_fit.hpp"

namespace stepcast {

// Parameters of the analytical time of causal forward attention (see attention_model.hpp), fitted
// to one GPU and its main kernel.
struct AttentionBase {
  std::map<std::int64_t, double> share;  // of peak, at long lengths, by measured head width
  double ramp_length = 500.0;            // length at which half of that share is reached
  double tail_power = 2.0;               // how work and the longest row of tiles combine
  Seconds fixed{12e-6};                  // once a kernel
};

struct AttentionKriging {
  double length_sequence = 2.0, length_heads = 2.0, length_group = 3.0;  // octaves
  double amplitude = 0.1;
  double noise = 0.02;
};

struct AttentionFit {
  AttentionBase base;
  AttentionKriging kriging;
  HeldOutError base_alone;  // in sample
  HeldOutError held_out;    // every point predicted without itself
};

}  // namespace stepcast

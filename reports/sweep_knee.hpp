#pragma once

#include <cstddef>
#include <vector>

#include "reports/sweep.hpp"

namespace stepcast {

// A point of one curve that fits in memory.
struct CurvePoint {
  std::size_t value = 0;  // index into the axis' values
  double x = 0.0;         // that value
  Prediction prediction;
  double scaling_efficiency = 1.0;  // of an axis of GPUs
};

// The rules of evaluate() on one curve, in any order of points.
[[nodiscard]] Knee find_knee(const SweepAxis& axis, std::vector<CurvePoint> curve);

}  // namespace stepcast

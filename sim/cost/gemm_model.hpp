#pragma once

#include <vector>

#include "sim/cost/gemm_base.hpp"
#include "sim/cost/kriging.hpp"
#include "sim/cost/profile.hpp"

namespace stepcast {

// GEMM time of one GPU and data type: the analytical time corrected by measured neighbours.
//
// ln(measured / base) is taken to be a Gaussian field over (log2 m, log2 n, log2 k) and estimated
// at the asked shape by kriging. Each measured (m, n, k) also stands, with more noise, for
// (n, m, k). Far from every point the answer becomes the analytical time. A measured shape returns
// its measurement.
class GemmModel {
 public:
  // Takes the points of `type` only.
  GemmModel(const GemmDevice& device, DataType type, const GemmFit& fit,
            const std::vector<GemmPoint>& points);

  // Time of a forward product; basis measured on a table hit, interpolated inside the ranges of
  // m, n and k of the table (in either order of m and n), else extrapolated; analytical without a
  // table. Precondition: m, n, k >= 1. About 10 us.
  [[nodiscard]] Estimate time(const GemmShape& shape) const;

  // As if the points that `left_out` names were not in the table: the asked point, or all points
  // of its (n, k) (cross-validation).
  enum class LeftOut { nothing, point, site };
  [[nodiscard]] Estimate time_without(const GemmShape& shape, LeftOut left_out) const;

  [[nodiscard]] Seconds base_time(const GemmShape& shape) const;
  [[nodiscard]] const GemmDevice& device() const { return device_; }
  [[nodiscard]] const GemmBase& base() const { return fit_.base; }
  [[nodiscard]] const std::vector<GemmPoint>& points() const { return points_; }

 private:
  [[nodiscard]] std::vector<KrigingSample> samples() const;
  [[nodiscard]] const GemmPoint* find(const GemmShape& shape) const;
  [[nodiscard]] bool inside(const GemmShape& shape) const;

  GemmDevice device_;
  DataType type_;
  GemmFit fit_;
  std::vector<GemmPoint> points_;  // sorted by (n, k, m)
  Kriging residual_;
  GemmShape least_, most_;
};

}  // namespace stepcast

#include "sim/cost/gemm_base.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/errors.hpp"

namespace stepcast {
namespace {

constexpr double droop_start_s = 1e-3;

double ceil_div(std::int64_t a, std::int64_t b) { return static_cast<double>((a + b - 1) / b); }

// Rounds of tiles that the multiprocessors work through.
double waves(double tiles, double multiprocessors, double smoothing) {
  const double fluid = std::max(tiles / multiprocessors, 1.0);
  return (1.0 - smoothing) * std::ceil(tiles / multiprocessors) + smoothing * fluid;
}

struct Request {
  const GemmDevice& device;
  const GemmBase& base;
  const GemmShape& shape;
  double batch = 1.0;
};

// Shortest compute time with tiles of rows x columns, over split-k factors.
double tile_time(const Request& p, double tile_rate, std::int64_t rows, std::int64_t columns) {
  const double tiles = p.batch * ceil_div(p.shape.m, rows) * ceil_div(p.shape.n, columns);
  const double outputs = p.batch * static_cast<double>(p.shape.m) * static_cast<double>(p.shape.n);
  const double k = static_cast<double>(p.shape.k);
  const double flops_per_k = 2.0 * static_cast<double>(rows * columns);
  double best = std::numeric_limits<double>::infinity();
  for (const double split : {1.0, 2.0, 4.0, 8.0}) {
    const double work = flops_per_k * (k / split + p.base.prologue_k) / tile_rate;
    const double rounds = waves(tiles * split, p.device.multiprocessors, p.base.wave_smoothing);
    // Partial sums in fp32, written once and read once.
    const double sums =
        split > 1.0 ? 8.0 * split * outputs / p.device.memory_bandwidth.value() : 0.0;
    best = std::min(best, rounds * work + p.base.split_cost * sums);
    if (tiles * split > p.device.multiprocessors) break;
  }
  return best;
}

double compute_time(const Request& p) {
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < gemm_tiles.size(); ++i) {
    const TileShape tile = gemm_tiles[i];
    const double rate = p.base.tile_share[i] * p.device.peak.value() / p.device.multiprocessors;
    best = std::min(best, tile_time(p, rate, tile.rows, tile.columns));
    if (tile.rows != tile.columns)
      best = std::min(best, tile_time(p, rate, tile.columns, tile.rows));
  }
  return best;
}

double operand_bytes(DataType type, const GemmShape& shape) {
  const double m = static_cast<double>(shape.m);
  const double n = static_cast<double>(shape.n);
  const double k = static_cast<double>(shape.k);
  const double in = size_of(type).value();
  return in * (m * k + n * k) + std::max(in, 2.0) * m * n;
}

}  // namespace

GemmDevice gemm_device(const DeviceFacts& device, DataType type) {
  auto peak = device.peak.find(type);
  if (peak == device.peak.end() && type == DataType::fp16) peak = device.peak.find(DataType::bf16);
  if (peak == device.peak.end() && type == DataType::bf16) peak = device.peak.find(DataType::fp16);
  if (peak == device.peak.end())
    throw InputError(
        Problem{"", "", device.name + ": does not compute in " + std::string(name_of(type))});
  return {static_cast<double>(device.multiprocessors), peak->second, device.memory_bandwidth};
}

Seconds gemm_base_time(const GemmDevice& device, DataType type, const GemmBase& base,
                       const GemmShape& shape) {
  STEPCAST_CHECK(shape.m >= 1 && shape.n >= 1 && shape.k >= 1);
  const double bandwidth = base.memory_share * device.memory_bandwidth.value();
  const double memory = operand_bytes(type, shape) / bandwidth;
  const double compute = compute_time({device, base, shape});
  const double c2 = compute * compute;
  const double m2 = memory * memory;
  double time = std::sqrt(std::sqrt(c2 * c2 + m2 * m2));
  if (time > droop_start_s) time *= 1.0 + base.droop * std::log(time / droop_start_s);
  const double activation = static_cast<double>(shape.m) * static_cast<double>(shape.k);
  return base.fixed + Seconds{time + base.quantise_bytes * activation / bandwidth};
}

Seconds batched_gemm_time(const GemmDevice& device, DataType type, const GemmBase& base,
                          std::int64_t batch, const GemmShape& padded, const GemmShape& shape) {
  STEPCAST_CHECK(batch >= 1 && shape.m >= 1 && shape.n >= 1 && shape.k >= 1);
  const double count = static_cast<double>(batch);
  const double bandwidth = base.memory_share * device.memory_bandwidth.value();
  const double memory = count * operand_bytes(type, shape) / bandwidth;
  const double compute = compute_time({device, base, padded, count});
  return base.fixed + Seconds{std::cbrt(compute * compute * compute + memory * memory * memory)};
}

}  // namespace stepcast

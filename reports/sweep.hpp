#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "reports/forecast.hpp"

namespace stepcast {

// What is varied. A rate is a bandwidth that the step may outgrow; gpus are the size of the
// cluster.
enum class AxisKind { value, rate, gpus };

struct SweepValue {
  std::string json;              // "4", "\"optimizer\""
  std::string text;              // for people, and what was typed: 4, optimizer
  std::optional<double> number;  // where it is one
};

struct SweepAxis {
  std::string path;  // "parallel.tensor", or a name: gpus, network_GBps, nvlink_GBps
  std::string unit;  // "" where the path says it or there is none
  AxisKind kind = AxisKind::value;
  std::vector<SweepValue> values;
};

struct SweepPoint {
  std::vector<std::size_t> at;  // index into each axis' values
  std::string label;            // "parallel.tensor 4, network_GBps 50"
  std::optional<Forecast> forecast;
  std::string problem;  // why there is no forecast, or why it does not fit; "" otherwise
  std::optional<double> scaling_efficiency;
};

// "What do I need": a swept value of one axis, and why; without a value, why there is none.
struct Knee {
  std::size_t axis = 0;
  std::optional<std::size_t> value;  // index into the axis' values
  std::string other;                 // which curve, where there are two axes: "parallel.tensor 4"
  std::string reason;
};

struct InputSweep {
  std::vector<SweepAxis> axes;     // one or two
  std::vector<SweepPoint> points;  // the last axis varies fastest
  std::vector<Knee> knees;         // one a curve
  std::optional<std::size_t> best;
  bool weak_scaling = false;  // the global batch grows with the GPUs
  bool data_follows = false;  // the run's parallel.data was left out, to follow what is varied
};

// All points of the product, without forecasts.
[[nodiscard]] std::vector<SweepPoint> sweep_points(const std::vector<SweepAxis>& axes);

// Fills scaling efficiencies, reasons of what does not fit, the knees and the best point.
//
// Scaling efficiency, along an axis of GPUs: tokens/s/GPU over that of the first point of its curve
// that has a forecast.
// Best: most tokens/s/GPU of what fits; the first of equals.
// Knee, along the first axis of rates or GPUs (else the first axis), of what fits:
//   rate: the smallest value from which doubling it gains less than 2 % of throughput. Only swept
//     values are looked at: for the double stands the smallest one that is at least twice as much.
//   gpus: the largest with a scaling efficiency of at least 90 %.
//   value: where tokens/s/GPU is highest, if that is neither the smallest nor the largest number.
void evaluate(InputSweep& sweep);

}  // namespace stepcast

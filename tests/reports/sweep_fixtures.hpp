#pragma once

#include <string>
#include <vector>

#include "reports/sweep.hpp"
#include "tests/reports/report_fixtures.hpp"

namespace stepcast::report_fixtures {

inline SweepAxis axis(const std::string& path, AxisKind kind, const std::vector<double>& numbers) {
  SweepAxis out{path, kind == AxisKind::rate ? "GB/s per NIC" : "", kind, {}};
  for (const double number : numbers) {
    const std::string text = nlohmann::json(number).dump();
    out.values.push_back({text, text, number});
  }
  return out;
}

// The small prediction with another step time of the same 65536 tokens on `gpus`.
inline Prediction with_step(double seconds, std::int64_t gpus = 8) {
  Prediction p = small_prediction();
  p.gpus = gpus;
  p.step_p50 = Seconds{seconds};
  p.step_p10 = Seconds{seconds * 0.9375};
  p.step_p90 = Seconds{seconds * 1.0625};
  p.tokens_per_s = 65536.0 / seconds;
  p.tokens_per_s_per_gpu = p.tokens_per_s / static_cast<double>(gpus);
  return p;
}

// One axis with a step time at each value; 0 stands for a point without a forecast.
inline InputSweep sweep_of(const SweepAxis& axis, const std::vector<double>& steps) {
  InputSweep sweep;
  sweep.axes = {axis};
  sweep.points = sweep_points(sweep.axes);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    SweepPoint& point = sweep.points[i];
    if (steps[i] == 0.0) {
      point.problem = "must be something else";
      continue;
    }
    const bool gpus = axis.kind == AxisKind::gpus;
    const auto count = gpus ? static_cast<std::int64_t>(*axis.values[i].number) : 8;
    point.forecast = forecast(point.label, with_step(steps[i], count));
  }
  return sweep;
}

}  // namespace stepcast::report_fixtures

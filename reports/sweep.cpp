#include "reports/sweep.hpp"

#include <algorithm>
#include <utility>

#include "common/errors.hpp"
#include "reports/prediction_text.hpp"
#include "reports/sweep_knee.hpp"

namespace stepcast {

namespace {

bool fits(const SweepPoint& point) {
  return point.forecast && point.forecast->prediction.verdict != MemoryVerdict::out_of_memory;
}

double rate_per_gpu(const SweepPoint& point) {
  return point.forecast->prediction.tokens_per_s_per_gpu;
}

std::string words_of(const SweepAxis& axis, std::size_t value) {
  return axis.path + " " + axis.values[value].text;
}

// The points that differ only along `axis`, in the order of its values, for each value of the other
// axis.
std::vector<std::vector<std::size_t>> curves_along(const InputSweep& sweep, std::size_t axis) {
  const bool two = sweep.axes.size() > 1;
  std::vector<std::vector<std::size_t>> curves(two ? sweep.axes[1 - axis].values.size() : 1);
  for (std::size_t i = 0; i < sweep.points.size(); ++i)
    curves[two ? sweep.points[i].at[1 - axis] : 0].push_back(i);
  return curves;
}

void fill_efficiencies(InputSweep& sweep, std::size_t axis) {
  for (const auto& curve : curves_along(sweep, axis)) {
    const SweepPoint* first = nullptr;
    for (const std::size_t i : curve) {
      SweepPoint& point = sweep.points[i];
      if (!point.forecast) continue;
      if (!first) first = &point;
      point.scaling_efficiency = rate_per_gpu(point) / rate_per_gpu(*first);
    }
  }
}

std::size_t knee_axis(const std::vector<SweepAxis>& axes) {
  const auto found =
      std::ranges::find_if(axes, [](const auto& axis) { return axis.kind != AxisKind::value; });
  return found == axes.end() ? 0 : static_cast<std::size_t>(found - axes.begin());
}

void fill_knees(InputSweep& sweep) {
  const std::size_t axis = knee_axis(sweep.axes);
  for (const auto& curve : curves_along(sweep, axis)) {
    std::vector<CurvePoint> points;
    for (const std::size_t i : curve) {
      const SweepPoint& point = sweep.points[i];
      const std::size_t value = point.at[axis];
      if (const auto number = sweep.axes[axis].values[value].number; fits(point) && number)
        points.push_back(
            {value, *number, point.forecast->prediction, point.scaling_efficiency.value_or(1.0)});
    }
    Knee knee = find_knee(sweep.axes[axis], std::move(points));
    knee.axis = axis;
    if (sweep.axes.size() > 1)
      knee.other = words_of(sweep.axes[1 - axis], sweep.points[curve.front()].at[1 - axis]);
    sweep.knees.push_back(std::move(knee));
  }
}

}  // namespace

std::vector<SweepPoint> sweep_points(const std::vector<SweepAxis>& axes) {
  STEPCAST_CHECK(axes.size() == 1 || axes.size() == 2);
  std::vector<SweepPoint> points;
  for (std::size_t a = 0; a < axes[0].values.size(); ++a) {
    if (axes.size() == 1) {
      points.push_back({{a}, words_of(axes[0], a), {}, {}, {}});
      continue;
    }
    for (std::size_t b = 0; b < axes[1].values.size(); ++b)
      points.push_back({{a, b}, words_of(axes[0], a) + ", " + words_of(axes[1], b), {}, {}, {}});
  }
  return points;
}

void evaluate(InputSweep& sweep) {
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    SweepPoint& point = sweep.points[i];
    if (point.forecast && !fits(point)) point.problem = memory_sentence(point.forecast->prediction);
    if (fits(point) &&
        (!sweep.best || rate_per_gpu(point) > rate_per_gpu(sweep.points[*sweep.best])))
      sweep.best = i;
  }
  for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis)
    if (sweep.axes[axis].kind == AxisKind::gpus) fill_efficiencies(sweep, axis);
  fill_knees(sweep);
}

}  // namespace stepcast

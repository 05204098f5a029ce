#include "reports/sweep_knee.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "reports/text_table.hpp"

namespace stepcast {

namespace {

constexpr double least_gain = 0.02;        // of throughput, worth a doubled rate
constexpr double least_efficiency = 0.90;  // worth more GPUs

using Curve = std::vector<CurvePoint>;

double gain(const CurvePoint& from, const CurvePoint& to) {
  return to.prediction.tokens_per_s / from.prediction.tokens_per_s - 1.0;
}

// The smallest swept value that is at least twice `point`'s.
std::optional<CurvePoint> doubled(const Curve& curve, const CurvePoint& point) {
  for (const CurvePoint& other : curve)
    if (other.x >= 2.0 * point.x) return other;
  return std::nullopt;
}

std::string gain_words(const SweepAxis& axis, const CurvePoint& from, const CurvePoint& to) {
  return fmt::format("from {} to {} throughput grows by {} % (step {} s to {} s)",
                     axis.values[from.value].text, axis.values[to.value].text,
                     percent(gain(from, to)), three_digits(from.prediction.step_p50.value()),
                     three_digits(to.prediction.step_p50.value()));
}

Knee rate_knee(const SweepAxis& axis, const Curve& curve) {
  const std::string rule = fmt::format("{:.0f} % a doubling", 100.0 * least_gain);
  std::string before;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    const auto twice = doubled(curve, curve[i]);
    if (!twice) break;
    const std::string words = gain_words(axis, curve[i], *twice);
    if (gain(curve[i], *twice) < least_gain)
      return {0, curve[i].value, "",
              words + ", less than " + rule +
                  (before.empty() ? "; it is the smallest value swept" : "; " + before)};
    before = words;
  }
  if (before.empty())
    return {0, {}, "", "no value that fits has one of at least twice its size beside it"};
  return {0, {}, "", "beyond the values swept: " + before + ", still " + rule + " or more"};
}

Knee gpu_knee(const SweepAxis& axis, const Curve& curve) {
  const auto words = [&](const CurvePoint& point) {
    return fmt::format("{} % at {} GPUs", percent(point.scaling_efficiency),
                       axis.values[point.value].text);
  };
  const auto last = std::find_if(curve.rbegin(), curve.rend(), [](const CurvePoint& point) {
    return point.scaling_efficiency >= least_efficiency;
  });
  const std::string rule = fmt::format("at least {:.0f} %", 100.0 * least_efficiency);
  if (last == curve.rend())
    return {0, {}, "", "no scaling efficiency is " + rule + ": " + words(curve.front())};
  return {0, last->value, "",
          "scaling efficiency is " + words(*last) + ", " + rule + "; " +
              (last == curve.rbegin() ? "it is the largest value swept that fits"
                                      : words(*(last - 1)))};
}

Knee inner_maximum(const SweepAxis& axis, const Curve& curve) {
  const auto rate = [](const CurvePoint& point) { return point.prediction.tokens_per_s_per_gpu; };
  const auto top = std::ranges::max_element(curve, {}, rate);
  const auto words = [&](const CurvePoint& point) {
    return fmt::format("{} at {}", three_digits(rate(point)), axis.values[point.value].text);
  };
  if (top == curve.begin() || top == curve.end() - 1)
    return {0, {}, "", "tokens/s/GPU is highest at an end of the values swept: " + words(*top)};
  return {0, top->value, "",
          "tokens/s/GPU is highest here: " +
              join_words({words(*top), words(*(top - 1)), words(*(top + 1))})};
}

}  // namespace

Knee find_knee(const SweepAxis& axis, std::vector<CurvePoint> curve) {
  if (std::ranges::none_of(axis.values, [](const auto& value) { return value.number.has_value(); }))
    return {0, {}, "", "its values are no numbers"};
  if (curve.size() < 2)
    return {0, {}, "", "fewer than two of its numbers have a forecast that fits"};
  std::ranges::stable_sort(curve, {}, &CurvePoint::x);
  switch (axis.kind) {
    case AxisKind::rate: return rate_knee(axis, curve);
    case AxisKind::gpus: return gpu_knee(axis, curve);
    case AxisKind::value: break;
  }
  return inner_maximum(axis, curve);
}

}  // namespace stepcast

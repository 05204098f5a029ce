#include "reports/time_windows.hpp"

#include <algorithm>
#include <cmath>

namespace stepcast {

std::vector<TimeWindow> shown_windows(SimTime step_end, std::size_t bars, std::size_t limit) {
  if (bars <= limit) return {{SimTime{}, step_end}};
  const double share = static_cast<double>(limit) / static_cast<double>(bars);
  const auto length = [&](double part) {
    return std::llround(static_cast<double>(step_end.ps) * share * part);
  };
  const std::int64_t edge = length(0.4), middle = length(0.2);
  return {{SimTime{}, SimTime{edge}},
          {SimTime{(step_end.ps - middle) / 2}, SimTime{(step_end.ps + middle) / 2}},
          {SimTime{step_end.ps - edge}, step_end}};
}

bool is_shown(SimTime start, SimTime end, const std::vector<TimeWindow>& windows) {
  return std::any_of(windows.begin(), windows.end(), [&](const TimeWindow& window) {
    return start < window.end && end > window.start;
  });
}

}  // namespace stepcast

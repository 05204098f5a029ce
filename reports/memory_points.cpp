#include "reports/memory_points.hpp"

#include <algorithm>

namespace stepcast {

MemoryPoints thin(const MemoryPoints& points, std::size_t limit) {
  if (points.size() <= limit) return points;
  const std::size_t stretches = limit / 2;
  const double from = points.front().first.value();
  const double length = (points.back().first.value() - from) / static_cast<double>(stretches);
  const auto by_bytes = [](const auto& a, const auto& b) { return a.second < b.second; };
  MemoryPoints kept;
  auto begin = points.begin();
  for (std::size_t stretch = 1; stretch <= stretches && begin != points.end(); ++stretch) {
    const double until = from + length * static_cast<double>(stretch);
    const auto end =
        stretch == stretches ? points.end() : std::find_if(begin, points.end(), [&](const auto& p) {
          return p.first.value() >= until;
        });
    if (begin == end) continue;
    auto low = std::min_element(begin, end, by_bytes),
         high = std::max_element(begin, end, by_bytes);
    if (high < low) std::swap(low, high);
    kept.push_back(*low);
    if (high != low) kept.push_back(*high);
    begin = end;
  }
  return kept;
}

std::size_t points_of_a_stage(std::size_t limit, std::size_t stages) {
  return std::clamp<std::size_t>(limit / std::max<std::size_t>(stages, 1), 200, 2000);
}

}  // namespace stepcast

#include <cmath>
#include <cstdint>

#include "reports/score.hpp"

namespace stepcast {

namespace {

int sign(double value) { return value > 0 ? 1 : value < 0 ? -1 : 0; }

}  // namespace

std::optional<double> kendall_tau_b(const std::vector<RankedPair>& pairs) {
  std::int64_t balance = 0, ordered_x = 0, ordered_y = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    for (std::size_t j = i + 1; j < pairs.size(); ++j) {
      if (pairs[i].group != pairs[j].group) continue;
      const int dx = sign(pairs[i].x - pairs[j].x), dy = sign(pairs[i].y - pairs[j].y);
      balance += dx * dy;
      ordered_x += dx != 0 ? 1 : 0;
      ordered_y += dy != 0 ? 1 : 0;
    }
  if (ordered_x == 0 || ordered_y == 0) return std::nullopt;
  return static_cast<double>(balance) /
         std::sqrt(static_cast<double>(ordered_x) * static_cast<double>(ordered_y));
}

}  // namespace stepcast

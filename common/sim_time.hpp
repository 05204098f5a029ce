#pragma once

#include <cmath>
#include <compare>
#include <cstdint>
#include <stdexcept>

#include "common/units.hpp"

namespace stepcast {

// Simulated time: integer picoseconds, so that ties are exact and order is total.
struct SimTime {
  std::int64_t ps = 0;
  friend auto operator<=>(const SimTime&, const SimTime&) = default;
};

[[nodiscard]] constexpr Seconds to_seconds(SimTime t) {
  return Seconds{static_cast<double>(t.ps) * 1e-12};
}

// Throws std::domain_error if cost is negative, NaN, or past the end of the clock (about 106 days).
inline SimTime after(SimTime now, Seconds cost) {
  const double ps = std::nearbyint(cost.value() * 1e12);
  if (!(ps >= 0.0) || ps >= 9.2e18 - static_cast<double>(now.ps))
    throw std::domain_error("cost is not a schedulable time");
  return SimTime{now.ps + static_cast<std::int64_t>(ps)};
}

}  // namespace stepcast

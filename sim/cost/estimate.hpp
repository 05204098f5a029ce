#pragma once

#include <string_view>

#include "common/units.hpp"

namespace stepcast {

// Where a number came from, so that a report can say how far to trust it.
enum class Basis { measured, interpolated, extrapolated, analytical };
[[nodiscard]] constexpr std::string_view name_of(Basis basis) {
  switch (basis) {
    case Basis::measured: return "measured";
    case Basis::interpolated: return "interpolated";
    case Basis::extrapolated: return "extrapolated";
    case Basis::analytical: return "analytical";
  }
  return "";
}

// Time of one operation alone on an idle machine. `relative_sigma` is one standard deviation of
// ln(true / time).
struct Estimate {
  Seconds time;
  double relative_sigma = 0.0;
  Basis basis = Basis::analytical;
};

}  // namespace stepcast

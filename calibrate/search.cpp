#include "calibrate/search.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace stepcast::calibrate {

void coordinate_search(const std::vector<double*>& parameters, const std::function<double()>& loss,
                       int rounds, double first_step) {
  constexpr double least_step = 0.01;
  constexpr double least_gain = 1e-9;
  double best = loss();
  double step = first_step;
  for (int round = 0; round < rounds && step >= least_step; ++round) {
    bool gained = false;
    for (double* parameter : parameters) {
      double kept = *parameter;
      for (const double factor : {std::exp(step), std::exp(-step)}) {
        const double tried = kept * factor;
        *parameter = tried;
        const double found = loss();
        if (found < best - least_gain) {
          best = found;
          kept = tried;
          gained = true;
        }
        *parameter = kept;
      }
    }
    if (!gained) step /= 2.0;
  }
}

double rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return std::strtod(text, nullptr);
}

}  // namespace stepcast::calibrate

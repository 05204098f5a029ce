#pragma once

#include <functional>
#include <vector>

namespace stepcast::calibrate {

// Minimises `loss` over positive parameters, in place, by cyclic multiplicative steps: each
// parameter is multiplied and divided by e^step; a round without gain halves the step. Stops after
// `rounds` or when the step falls under 1 %. Deterministic; finds a local minimum.
void coordinate_search(const std::vector<double*>& parameters, const std::function<double()>& loss,
                       int rounds, double first_step);

// Nearest number with six significant digits, so that documents are short and stable.
[[nodiscard]] double rounded(double value);

}  // namespace stepcast::calibrate

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/plan/advice_case.hpp"
#include "sim/plan/advice_facts.hpp"
#include "sim/predict/prediction.hpp"

namespace stepcast {

// The predictions that an advice asks for: each combination of degrees filled in by
// AdviceCase::complete and predicted once (SimulationDetail::actions).
struct Outcome {
  Completion completion;
  std::optional<Run> run;                // absent: not valid
  std::optional<Prediction> prediction;  // absent: not valid
  // Of a request with a memory margin, also within that.
  [[nodiscard]] bool fits() const {
    return completion.fits && prediction && prediction->verdict != MemoryVerdict::out_of_memory;
  }
};
using Outcomes = std::map<Degrees, Outcome>;

// One point of the curve along an axis. With the other degrees fixed, data parallelism takes the
// rest of the GPUs; along the data axis the cluster itself grows.
struct DegreePoint {
  std::int64_t degree = 1;
  std::int64_t gpus = 1;
  std::optional<double> tokens_per_s_per_gpu;  // absent: not valid
  bool fits = false;
  std::string problem;  // of what is not valid
};

// The largest degree before tokens/s/GPU falls more than knee_loss below the best so far, of the
// points that fit; 0 when none does.
[[nodiscard]] std::int64_t knee_of(const std::vector<DegreePoint>& curve);

// What one axis does in this case.
struct Strategy {
  std::string name;  // dp, pp, tp, cp
  std::int64_t degree = 1;
  bool used = true;     // false: shown at degree 2, though the recommendation does not use it
  std::string problem;  // why not even degree 2 is possible; the rest is empty then
  Degrees degrees;      // of the configuration that the numbers are of
  StageMemory memory;   // of the fullest stage
  double needed = 0.0;  // bytes of that stage, outside the allocator included
  // Less than without the axis, other degrees but data alike (SEMANTICS 6: states, and activations
  // of all layers with the logits).
  double saved_states = 0.0, saved_activations = 0.0;
  double bytes_per_step = 0.0;  // that one rank sends
  std::int64_t calls_per_step = 0;
  double exposed_s = 0.0;
  std::string tier;
  std::optional<double> hide_bandwidth;  // bytes/s; absent: it cannot overlap and is exposed
  double supplied_bandwidth = 0.0;       // bytes/s of a rank in this group
  Statement limit;
  std::vector<DegreePoint> curve;
  std::int64_t knee = 0;
};

// One axis doubled and another one halved.
[[nodiscard]] std::vector<Degrees> neighbours_of(const Degrees& chosen);

// The neighbours and what strategies_of looks at, for Outcomes; the data axis apart, whose curve is
// of other clusters.
[[nodiscard]] std::vector<Degrees> degrees_around(const Degrees& chosen);

// The configuration that shows an axis: the chosen one, or one with this axis at 2 and the data (or
// else another) degree halved. The first that is valid, or nullopt.
[[nodiscard]] std::optional<Degrees> shown_degrees(const Outcomes& outcomes, const Degrees& chosen,
                                                   std::int64_t Degrees::*axis);

// dp, pp, tp, cp. `data_curve` is along the data axis.
[[nodiscard]] std::vector<Strategy> strategies_of(AdviceCase& advice, const Degrees& chosen,
                                                  const Outcomes& outcomes,
                                                  const std::vector<DegreePoint>& data_curve);

}  // namespace stepcast

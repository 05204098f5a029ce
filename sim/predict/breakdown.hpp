#pragma once

#include <map>
#include <vector>

#include "sim/predict/prediction.hpp"
#include "sim/predict/step_simulation.hpp"

namespace stepcast {

struct Breakdown {
  std::vector<StageBreakdown> stages;
  // Of each operation, the stage where it takes longest.
  std::map<CommunicationKey, CommunicationTotal> communication;
};

// Divides each stage's step into what its compute stream did and, where that stood still, what it
// waited for: the chain of latest-ending predecessors is followed back through the gap.
// Communication of the stage itself is exposed; time before another stage had started to deliver is
// bubble. Parts sum to the step time exactly (up to rounding of sums).
[[nodiscard]] Breakdown break_down(const StepSimulation& simulation);

// One bar per task, of the representative rank of each stage.
[[nodiscard]] std::vector<Span> make_trace(const StepSimulation& simulation,
                                           KeepTrace keep = KeepTrace::yes);

}  // namespace stepcast

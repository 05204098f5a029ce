#pragma once

#include <string>
#include <vector>

#include "sim/predict/prediction.hpp"

namespace stepcast {

// A trace for Perfetto or chrome://tracing (Trace Event Format, JSON object form): one process a
// stage, one thread a lane, times in microseconds with picosecond digits, and a counter of
// allocated bytes where the prediction holds a memory timeline. Events are sorted by process,
// thread, time and name, so equal traces give equal bytes.
[[nodiscard]] std::string chrome_trace(const std::vector<Span>& spans,
                                       const Prediction& prediction);

}  // namespace stepcast

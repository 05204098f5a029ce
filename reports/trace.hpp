#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/predict/prediction.hpp"

namespace stepcast {

// An event takes about 125 bytes: the file stays below 50 MB, which a browser still opens.
struct TraceLimits {
  std::size_t spans = 330000;
  std::size_t memory_points = 40000;
};

// A trace for Perfetto or chrome://tracing (Trace Event Format, JSON object form): one process a
// stage, one thread a lane (more where bars of a lane overlap), times in microseconds with
// picosecond digits, and a counter of allocated bytes where the prediction holds a memory timeline.
// Events are sorted by process, thread, time and name, so equal traces give equal bytes. A step of
// more spans is shown at its beginning, in its middle and at its end; "otherData" says what is left
// out.
[[nodiscard]] std::string chrome_trace(const std::vector<Span>& spans, const Prediction& prediction,
                                       const TraceLimits& limits = {});

}  // namespace stepcast

#pragma once

#include <cstddef>
#include <vector>

#include "common/sim_time.hpp"

namespace stepcast {

// A stretch of a step's time, up to and without `end`.
struct TimeWindow {
  SimTime start, end;
  friend bool operator==(const TimeWindow&, const TimeWindow&) = default;
};

// Which parts of a step of `bars` bars to show when `limit` of them are wanted: all of it, or its
// beginning, a stretch in its middle and its end. Warm-up and cool-down get two fifths each: they
// differ from micro-batch to micro-batch, while the steady state repeats itself. Bars are taken to
// be spread evenly, so that about `limit` of them lie inside.
[[nodiscard]] std::vector<TimeWindow> shown_windows(SimTime step_end, std::size_t bars,
                                                    std::size_t limit);

[[nodiscard]] bool is_shown(SimTime start, SimTime end, const std::vector<TimeWindow>& windows);

}  // namespace stepcast

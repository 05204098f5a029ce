#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <mutex>
#include <string>

#include "common/units.hpp"

namespace stepcast {

// Where a progress line goes, and the clock it is timed by.
struct ProgressSink {
  std::ostream* out = nullptr;
  bool terminal = false;         // redraw one line in place, instead of adding lines
  std::function<Seconds()> now;  // of a clock that never goes back
};

// Standard error and the steady clock.
[[nodiscard]] ProgressSink standard_progress();

// "search: 120/400, 35 s left". On a terminal the line is redrawn at most ten times a second and
// erased at the end; elsewhere a line is added whenever more than two seconds have passed since the
// last one, so that short work prints nothing. Safe to call from several threads.
class Progress {
 public:
  Progress(std::string label, std::int64_t total, ProgressSink sink = standard_progress());
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void advance(std::int64_t steps = 1);

 private:
  void print(Seconds now);

  std::string label_;
  std::int64_t total_;
  ProgressSink sink_;
  std::mutex mutex_;
  std::int64_t done_ = 0;
  Seconds started_;
  Seconds printed_;
  bool drawn_ = false;
};

// "8 s", "3 min 5 s", "2 h 10 min", by whole seconds rounded up.
[[nodiscard]] std::string time_text(Seconds time);

}  // namespace stepcast

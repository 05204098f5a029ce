#include "common/progress.hpp"

#include <unistd.h>

#include <chrono>
#include <cmath>
#include <iostream>
#include <utility>

namespace stepcast {
namespace {

constexpr Seconds redraw_interval{0.1};  // of a line on a terminal
constexpr Seconds line_interval{2.0};    // between lines of a log

Seconds steady_now() {
  return Seconds{
      std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count()};
}

}  // namespace

ProgressSink standard_progress() {
  return {.out = &std::cerr, .terminal = isatty(STDERR_FILENO) == 1, .now = steady_now};
}

Progress::Progress(std::string label, std::int64_t total, ProgressSink sink)
    : label_(std::move(label)),
      total_(total),
      sink_(std::move(sink)),
      started_(sink_.now()),
      printed_(started_) {}

Progress::~Progress() {
  if (drawn_ && sink_.terminal) *sink_.out << "\r\x1b[K" << std::flush;
}

void Progress::advance(std::int64_t steps) {
  const std::lock_guard lock(mutex_);
  done_ += steps;
  const Seconds now = sink_.now();
  if (now - printed_ > (sink_.terminal ? redraw_interval : line_interval)) print(now);
}

void Progress::print(Seconds now) {
  printed_ = now;
  drawn_ = true;
  std::ostream& out = *sink_.out;
  if (sink_.terminal) out << "\r\x1b[K";
  out << label_ << ": " << done_ << "/" << total_;
  if (done_ > 0 && done_ < total_) {
    const double remaining = static_cast<double>(total_ - done_) / static_cast<double>(done_);
    out << ", " << time_text((now - started_) * remaining) << " left";
  }
  if (!sink_.terminal) out << "\n";
  out << std::flush;
}

std::string time_text(Seconds time) {
  const auto seconds = static_cast<std::int64_t>(std::ceil(time.value()));
  if (seconds < 60) return std::to_string(seconds) + " s";
  if (seconds < 3600)
    return std::to_string(seconds / 60) + " min " + std::to_string(seconds % 60) + " s";
  return std::to_string(seconds / 3600) + " h " + std::to_string(seconds / 60 % 60) + " min";
}

}  // namespace stepcast

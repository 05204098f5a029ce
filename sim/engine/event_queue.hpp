#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/sim_time.hpp"

namespace stepcast {

// Future-event list in which each slot has at most one pending event, which can be moved or
// removed. Pops by time, then by tie (a task's index), so two runs that schedule the same events
// pop them in the same order. A 4-ary heap that knows where each slot is: O(log n) a change, and
// no heap allocation once it has held its largest number of slots.
class EventQueue {
 public:
  struct Event {
    SimTime at;
    std::uint32_t tie = 0;
    std::uint32_t slot = 0;
    friend bool operator==(const Event&, const Event&) = default;
  };

  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] const Event& top() const { return heap_.front(); }

  // Schedules the slot's event, or moves the one that is pending.
  void set(const Event& event) {
    if (event.slot >= where_.size()) where_.resize(event.slot + std::size_t{1}, absent);
    std::uint32_t at = where_[event.slot];
    if (at == absent) {
      at = static_cast<std::uint32_t>(heap_.size());
      heap_.push_back(event);
    }
    place(at, event);
  }
  // Nothing happens if the slot has no event.
  void remove(std::uint32_t slot) {
    if (slot >= where_.size() || where_[slot] == absent) return;
    const std::uint32_t at = where_[slot];
    where_[slot] = absent;
    const Event last = heap_.back();
    heap_.pop_back();
    if (at < heap_.size()) place(at, last);
  }
  Event pop() {
    const Event first = heap_.front();
    remove(first.slot);
    return first;
  }

 private:
  static constexpr std::uint32_t absent = UINT32_MAX;

  static bool before(const Event& a, const Event& b) {
    return a.at != b.at ? a.at < b.at : a.tie < b.tie;
  }
  void put(std::uint32_t at, const Event& event) {
    heap_[at] = event;
    where_[event.slot] = at;
  }
  // Puts the event at or around `at`, whose old content is no longer needed.
  void place(std::uint32_t at, const Event& event) {
    const std::uint32_t risen = rise(at, event);
    put(risen == at ? sink(at, event) : risen, event);
  }
  std::uint32_t rise(std::uint32_t at, const Event& event) {
    while (at > 0) {
      const std::uint32_t parent = (at - 1) / 4;
      if (!before(event, heap_[parent])) break;
      put(at, heap_[parent]);
      at = parent;
    }
    return at;
  }
  std::uint32_t sink(std::uint32_t at, const Event& event) {
    const std::size_t size = heap_.size();
    for (std::size_t child = 4 * std::size_t{at} + 1; child < size;
         child = 4 * std::size_t{at} + 1) {
      const std::size_t end = child + 4 < size ? child + 4 : size;
      std::size_t least = child;
      for (++child; child < end; ++child)
        if (before(heap_[child], heap_[least])) least = child;
      if (!before(heap_[least], event)) break;
      put(at, heap_[least]);
      at = static_cast<std::uint32_t>(least);
    }
    return at;
  }

  std::vector<Event> heap_;
  std::vector<std::uint32_t> where_;  // by slot
};

}  // namespace stepcast

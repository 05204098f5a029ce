#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "common/id.hpp"
#include "common/sim_time.hpp"
#include "sim/memory/tensor_list.hpp"

namespace stepcast {

using BundleId = Id<struct BundleTag>;

// Counts bundles of tensors (a layer's saved set, a workspace) as they come and go, and remembers
// the moment when most was alive. One change is O(1), or O(bundles) when it makes a new peak.
class Ledger {
 public:
  // `history`: off, only the peak itself is kept, not the timeline nor what was alive.
  explicit Ledger(bool history = true) : history_(history) {}
  [[nodiscard]] BundleId define(TensorList tensors);
  void allocate(BundleId bundle, SimTime at, std::size_t count = 1);
  // Precondition: so many of the bundle are alive.
  void release(BundleId bundle, SimTime at, std::size_t count = 1);
  [[nodiscard]] bool keeps_history() const { return history_; }

  [[nodiscard]] Bytes allocated() const { return allocated_; }
  [[nodiscard]] Bytes peak() const { return peak_; }
  [[nodiscard]] SimTime peak_at() const { return peak_at_; }
  // What was alive at the peak, tensors of one name and class added; largest first, then by name.
  [[nodiscard]] TensorList alive_at_peak() const;
  // Allocated bytes after each change; changes at the same time keep their order.
  [[nodiscard]] const std::vector<std::pair<Seconds, Bytes>>& timeline() const { return timeline_; }

 private:
  void record(SimTime at);

  struct Bundle {
    TensorList tensors;
    Bytes bytes;
  };
  bool history_;
  std::vector<Bundle> bundles_;
  std::vector<std::size_t> alive_, alive_at_peak_;
  Bytes allocated_, peak_;
  SimTime peak_at_;
  std::vector<std::pair<Seconds, Bytes>> timeline_;
};

}  // namespace stepcast

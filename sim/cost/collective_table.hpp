#pragma once

#include <map>
#include <optional>
#include <vector>

#include "sim/cost/cost_model.hpp"
#include "sim/cost/profile.hpp"

namespace stepcast {

// Time of one collective over one number of ranks as a function of size: log-log interpolation
// through measured points that are first made non-decreasing (isotonic regression on ln time, so
// that an outlier is averaged with its neighbours).
class CollectiveCurve {
 public:
  // Precondition: at least one point, sizes and times > 0.
  explicit CollectiveCurve(std::vector<std::pair<Bytes, Seconds>> points);
  // Below the smallest size: the smallest point's time. Above the largest: its bandwidth is held.
  [[nodiscard]] Seconds at(Bytes size) const;
  [[nodiscard]] Bytes smallest() const { return points_.front().first; }
  [[nodiscard]] Bytes largest() const { return points_.back().first; }
  [[nodiscard]] bool holds(Bytes size) const;  // is it one of the measured sizes?
  [[nodiscard]] const std::vector<std::pair<Bytes, Seconds>>& points() const { return points_; }

 private:
  std::vector<std::pair<Bytes, Seconds>> points_;
};

// NCCL collectives inside one NVLink domain. Where the asked number of ranks was not measured:
//  1. all_gather or reduce_scatter was (not for broadcast and send_recv), with the asked ranks: its
//  time there, times the ratio of
//     the two operations at the nearest number of ranks where both were measured;
//  2. fewer and more ranks were: bus bandwidth interpolated in the logarithm of ranks;
//  3. else the nearest number's bus bandwidth (nccl-tests' definition) is held.
// A curve that starts at a large size is continued below by that of the nearest number of ranks
// that goes further down, scaled to join. Ignores which GPUs take part, and NVLS or ring as such:
// the table shows them.
class CollectiveTable {
 public:
  explicit CollectiveTable(const std::vector<CollectivePoint>& points);
  // nullopt when the operation was never measured. Precondition: ranks >= 1, size >= 0.
  // One rank, or nothing to send: no time. Never decreases with size.
  [[nodiscard]] std::optional<Estimate> time(CollectiveOp op, std::int64_t ranks, Bytes size) const;

 private:
  using Curves = std::map<std::int64_t, CollectiveCurve>;  // by ranks
  [[nodiscard]] Seconds continued(const Curves& curves, std::int64_t ranks, Bytes size) const;
  void derive(CollectiveOp op, CollectiveOp sibling);
  [[nodiscard]] Seconds by_bus_bandwidth(CollectiveOp op, std::int64_t ranks, Bytes size) const;

  std::map<CollectiveOp, Curves> curves_;   // measured
  std::map<CollectiveOp, Curves> derived_;  // rule 1
};

}  // namespace stepcast

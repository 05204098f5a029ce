#include "sim/cost/collective_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "common/errors.hpp"

namespace stepcast {
namespace {

// assumption: deviations of ln(true / time). Repeats and NCCL versions of the shared data differ by
// about 5 %; between sizes, and then between numbers of ranks, less is known.
constexpr double sigma_measured = 0.05;
constexpr double sigma_interpolated = 0.08;
constexpr double sigma_extrapolated = 0.2;

// Pool adjacent violators: the non-decreasing sequence with the least squared distance.
std::vector<double> non_decreasing(const std::vector<double>& values) {
  std::vector<std::pair<double, std::size_t>> blocks;  // sum, count
  for (const double value : values) {
    blocks.emplace_back(value, 1);
    const auto mean = [](const auto& b) { return b.first / static_cast<double>(b.second); };
    while (blocks.size() > 1 && mean(blocks[blocks.size() - 2]) > mean(blocks.back())) {
      blocks[blocks.size() - 2].first += blocks.back().first;
      blocks[blocks.size() - 2].second += blocks.back().second;
      blocks.pop_back();
    }
  }
  std::vector<double> result;
  for (const auto& [sum, count] : blocks)
    result.insert(result.end(), count, sum / static_cast<double>(count));
  return result;
}

double log_ratio(std::int64_t a, std::int64_t b) {
  return std::log(static_cast<double>(a) / static_cast<double>(b));
}

// The key nearest to `ranks` by ratio for which `usable`; the smaller of two as near.
template <class Curves, class Usable>
std::optional<std::int64_t> nearest_ranks(const Curves& curves, std::int64_t ranks,
                                          const Usable& usable) {
  std::optional<std::int64_t> nearest;
  for (const auto& [count, curve] : curves)
    if (usable(count, curve) &&
        (!nearest || std::abs(log_ratio(count, ranks)) < std::abs(log_ratio(*nearest, ranks))))
      nearest = count;
  return nearest;
}

}  // namespace

double bus_bandwidth_factor(CollectiveOp op, std::int64_t ranks) {
  const double n = static_cast<double>(ranks);
  switch (op) {
    case CollectiveOp::all_reduce: return 2.0 * (n - 1.0) / n;
    case CollectiveOp::all_gather:
    case CollectiveOp::reduce_scatter:
    case CollectiveOp::all_to_all: return (n - 1.0) / n;
    case CollectiveOp::broadcast:
    case CollectiveOp::send_recv: return 1.0;
  }
  return 1.0;
}

CollectiveCurve::CollectiveCurve(std::vector<std::pair<Bytes, Seconds>> points)
    : points_(std::move(points)) {
  STEPCAST_CHECK(!points_.empty());
  std::sort(points_.begin(), points_.end());
  std::vector<double> logs;
  for (const auto& [size, time] : points_) logs.push_back(std::log(time.value()));
  const std::vector<double> pooled = non_decreasing(logs);
  for (std::size_t i = 0; i < points_.size(); ++i)
    if (pooled[i] != logs[i]) points_[i].second = Seconds{std::exp(pooled[i])};
}

bool CollectiveCurve::holds(Bytes size) const {
  return std::any_of(points_.begin(), points_.end(),
                     [size](const auto& point) { return point.first == size; });
}

Seconds CollectiveCurve::at(Bytes size) const {
  if (size <= points_.front().first) return points_.front().second;
  if (size >= points_.back().first) return points_.back().second * (size / points_.back().first);
  const auto above = std::lower_bound(points_.begin(), points_.end(), size,
                                      [](const auto& point, Bytes x) { return point.first < x; });
  if (above->first == size) return above->second;
  const auto below = above - 1;
  const double share = std::log(size / below->first) / std::log(above->first / below->first);
  return below->second * std::pow(above->second / below->second, share);
}

CollectiveTable::CollectiveTable(const std::vector<CollectivePoint>& points) {
  std::map<CollectiveOp, std::map<std::int64_t, std::vector<std::pair<Bytes, Seconds>>>> grouped;
  for (const CollectivePoint& p : points) grouped[p.op][p.ranks].emplace_back(p.size, p.time);
  for (auto& [op, by_ranks] : grouped)
    for (auto& [ranks, list] : by_ranks)
      curves_[op].emplace(ranks, CollectiveCurve(std::move(list)));
  for (const CollectiveOp op : {CollectiveOp::all_reduce, CollectiveOp::all_gather,
                                CollectiveOp::reduce_scatter, CollectiveOp::all_to_all})
    for (const CollectiveOp sibling : {CollectiveOp::all_gather, CollectiveOp::reduce_scatter})
      derive(op, sibling);
}

// The curve of `ranks`, which must exist, continued below its smallest size.
Seconds CollectiveTable::continued(const Curves& curves, std::int64_t ranks, Bytes size) const {
  const CollectiveCurve& curve = curves.at(ranks);
  if (size >= curve.smallest()) return curve.at(size);
  const auto usable = [&](std::int64_t, const CollectiveCurve& other) {
    return other.smallest() < curve.smallest();
  };
  const std::optional<std::int64_t> other = nearest_ranks(curves, ranks, usable);
  if (!other) return curve.at(size);
  const double join = curve.at(curve.smallest()) / continued(curves, *other, curve.smallest());
  return continued(curves, *other, size) * join;
}

// Rule 1 for every number of ranks where only the sibling was measured.
void CollectiveTable::derive(CollectiveOp op, CollectiveOp sibling) {
  if (op == sibling || !curves_.contains(op) || !curves_.contains(sibling)) return;
  const Curves& own = curves_.at(op);
  const Curves& other = curves_.at(sibling);
  for (const auto& [ranks, curve] : other) {
    if (own.contains(ranks) || derived_[op].contains(ranks)) continue;
    const auto in_both = [&](std::int64_t count, const CollectiveCurve&) {
      return other.contains(count);
    };
    const std::optional<std::int64_t> nearest = nearest_ranks(own, ranks, in_both);
    if (!nearest) continue;
    std::vector<std::pair<Bytes, Seconds>> points;
    for (const auto& [size, time] : curve.points())
      points.emplace_back(
          size, time * (continued(own, *nearest, size) / continued(other, *nearest, size)));
    derived_[op].emplace(ranks, CollectiveCurve(std::move(points)));
  }
}

Seconds CollectiveTable::by_bus_bandwidth(CollectiveOp op, std::int64_t ranks, Bytes size) const {
  const Curves& curves = curves_.at(op);
  const auto bandwidth = [&](std::int64_t n) {
    return bus_bandwidth_factor(op, n) * size.value() / continued(curves, n, size).value();
  };
  const auto more = curves.lower_bound(ranks);
  double reached = 0.0;
  if (more == curves.end()) {
    reached = bandwidth(curves.rbegin()->first);
  } else if (more == curves.begin()) {
    reached = bandwidth(more->first);
  } else {
    const std::int64_t low = std::prev(more)->first;
    const double share = log_ratio(ranks, low) / log_ratio(more->first, low);
    reached = bandwidth(low) * std::pow(bandwidth(more->first) / bandwidth(low), share);
  }
  return Seconds{bus_bandwidth_factor(op, ranks) * size.value() / reached};
}

std::optional<Estimate> CollectiveTable::time(CollectiveOp op, std::int64_t ranks,
                                              Bytes size) const {
  STEPCAST_CHECK(ranks >= 1 && size.value() >= 0.0);
  const auto found = curves_.find(op);
  if (found == curves_.end()) return std::nullopt;
  if (ranks == 1 || size.value() == 0.0) return Estimate{Seconds{0.0}, 0.0, Basis::analytical};
  const auto exact = found->second.find(ranks);
  if (exact != found->second.end()) {
    const CollectiveCurve& curve = exact->second;
    const Seconds time = continued(found->second, ranks, size);
    if (curve.holds(size)) return Estimate{time, sigma_measured, Basis::measured};
    if (size < curve.smallest() || size > curve.largest())
      return Estimate{time, sigma_extrapolated, Basis::extrapolated};
    return Estimate{time, sigma_interpolated, Basis::interpolated};
  }
  if (const auto curves = derived_.find(op); curves != derived_.end())
    if (const auto curve = curves->second.find(ranks); curve != curves->second.end())
      return Estimate{curve->second.at(size), sigma_extrapolated, Basis::extrapolated};
  return Estimate{by_bus_bandwidth(op, ranks, size), sigma_extrapolated, Basis::extrapolated};
}

}  // namespace stepcast

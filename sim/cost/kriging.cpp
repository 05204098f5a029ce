#include "sim/cost/kriging.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace stepcast {
namespace {

constexpr std::size_t most_neighbours = 24;
constexpr std::size_t most_lines = 48;
constexpr std::size_t either_side = 2;  // samples of a line on each side of the asked place

using Vector = std::array<double, most_neighbours>;

double square(double x) { return x * x; }

// Lower triangle of a covariance matrix, factored in place.
class Cholesky {
 public:
  explicit Cholesky(std::size_t count) : count_(count) {}
  double& at(std::size_t row, std::size_t column) { return a_[row * most_neighbours + column]; }
  void factor() {
    for (std::size_t j = 0; j < count_; ++j) {
      for (std::size_t i = j; i < count_; ++i) {
        double sum = at(i, j);
        for (std::size_t k = 0; k < j; ++k) sum -= at(i, k) * at(j, k);
        at(i, j) = i == j ? std::sqrt(sum) : sum / at(j, j);
      }
    }
  }
  // b becomes L^-1 b.
  void solve_lower(Vector& b) {
    for (std::size_t i = 0; i < count_; ++i) {
      double sum = b[i];
      for (std::size_t k = 0; k < i; ++k) sum -= at(i, k) * b[k];
      b[i] = sum / at(i, i);
    }
  }

 private:
  std::size_t count_;
  std::array<double, most_neighbours * most_neighbours> a_;
};

double distance(const KrigingOptions& options, const std::array<double, 3>& a,
                const std::array<double, 3>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < 3; ++i) sum += square((a[i] - b[i]) / options.lengths[i]);
  return std::sqrt(sum);
}

bool line_order(const KrigingSample& a, const KrigingSample& b) {
  return std::tie(a.at[1], a.at[2], a.at[0], a.point) <
         std::tie(b.at[1], b.at[2], b.at[0], b.point);
}

}  // namespace

Kriging::Kriging(const KrigingOptions& options, std::vector<KrigingSample> samples)
    : options_(options), samples_(std::move(samples)) {
  std::sort(samples_.begin(), samples_.end(), line_order);
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    const auto& at = samples_[i].at;
    if (lines_.empty() || lines_.back().second != at[1] || lines_.back().third != at[2])
      lines_.push_back({at[1], at[2], i, i});
    lines_.back().end = i + 1;
  }
}

double Kriging::covariance(double distance) const {
  return square(options_.amplitude) * std::exp(-distance);
}

std::vector<std::size_t> Kriging::nearest_lines(const std::array<double, 3>& place) const {
  std::vector<std::pair<double, std::size_t>> order(lines_.size());
  for (std::size_t i = 0; i < lines_.size(); ++i)
    order[i] = {square((lines_[i].second - place[1]) / options_.lengths[1]) +
                    square((lines_[i].third - place[2]) / options_.lengths[2]),
                i};
  const std::size_t keep = std::min(order.size(), most_lines);
  std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(keep), order.end());
  std::vector<std::size_t> lines(keep);
  for (std::size_t i = 0; i < keep; ++i) lines[i] = order[i].second;
  return lines;
}

void Kriging::add_neighbours(const Line& line, const std::array<double, 3>& place, const Skip& skip,
                             std::vector<Neighbour>& found) const {
  const auto first = samples_.begin() + static_cast<std::ptrdiff_t>(line.begin);
  const auto last = samples_.begin() + static_cast<std::ptrdiff_t>(line.end);
  const auto below = [](const KrigingSample& sample, double x) { return sample.at[0] < x; };
  const auto middle =
      static_cast<std::size_t>(std::lower_bound(first, last, place[0], below) - samples_.begin());
  const auto add = [&](std::size_t i) {
    if (skip && skip(samples_[i].point)) return false;
    found.push_back({distance(options_, place, samples_[i].at), i});
    return true;
  };
  std::size_t wanted = either_side;
  for (std::size_t i = middle; i < line.end && wanted > 0; ++i)
    if (add(i)) --wanted;
  wanted = either_side;
  for (std::size_t i = middle; i > line.begin && wanted > 0; --i)
    if (add(i - 1)) --wanted;
}

std::vector<Kriging::Neighbour> Kriging::neighbours(const std::array<double, 3>& place,
                                                    const Skip& skip) const {
  std::vector<Neighbour> found;
  found.reserve(most_lines * 2 * either_side);
  for (const std::size_t line : nearest_lines(place))
    add_neighbours(lines_[line], place, skip, found);
  const std::size_t used = std::min(found.size(), most_neighbours);
  const auto closer = [](const Neighbour& a, const Neighbour& b) {
    return std::tie(a.distance, a.sample) < std::tie(b.distance, b.sample);
  };
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(used), found.end(),
                    closer);
  found.resize(used);
  return found;
}

Kriging::Value Kriging::at(const std::array<double, 3>& place, const Skip& skip) const {
  const std::vector<Neighbour> near = neighbours(place, skip);
  Cholesky system(near.size());
  Vector to_place{};
  Vector values{};
  for (std::size_t i = 0; i < near.size(); ++i) {
    const KrigingSample& a = samples_[near[i].sample];
    for (std::size_t j = 0; j < i; ++j)
      system.at(i, j) = covariance(distance(options_, a.at, samples_[near[j].sample].at));
    system.at(i, i) = square(options_.amplitude) + square(a.noise);
    to_place[i] = covariance(near[i].distance);
    values[i] = a.value;
  }
  system.factor();
  system.solve_lower(to_place);
  system.solve_lower(values);
  Value result;
  double explained = 0.0;
  for (std::size_t i = 0; i < near.size(); ++i) {
    result.mean += to_place[i] * values[i];
    explained += square(to_place[i]);
  }
  result.sigma = std::sqrt(std::max(square(options_.amplitude) - explained, 0.0));
  return result;
}

}  // namespace stepcast

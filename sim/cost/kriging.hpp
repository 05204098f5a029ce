#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

namespace stepcast {

// A measured residual at a place; axes are logarithms of sizes.
struct KrigingSample {
  std::array<double, 3> at{};
  double value = 0.0;
  double noise = 0.0;     // standard deviation of this sample's own error
  std::size_t point = 0;  // caller's index
};

struct KrigingOptions {
  std::array<double, 3> lengths{1.0, 1.0, 1.0};  // distance at which covariance is 1/e
  double amplitude = 0.1;                        // standard deviation of the field
};

// Simple kriging (Gaussian process with mean zero and covariance amplitude^2 exp(-distance)) from
// the nearest 24 samples. Far from all samples the mean is 0 and sigma is the amplitude.
// Reference: Rasmussen and Williams, Gaussian Processes for Machine Learning (2006), eq. 2.23-2.26.
class Kriging {
 public:
  Kriging() = default;
  Kriging(const KrigingOptions& options, std::vector<KrigingSample> samples);

  struct Value {
    double mean = 0.0, sigma = 0.0;
  };
  // `skip` says whether to leave a caller's point out; empty: none. About 10 us.
  using Skip = std::function<bool(std::size_t point)>;
  [[nodiscard]] Value at(const std::array<double, 3>& place, const Skip& skip = {}) const;
  [[nodiscard]] bool empty() const { return samples_.empty(); }

 private:
  // Samples that agree in the last two axes, sorted by the first: [begin, end) of samples_.
  struct Line {
    double second = 0.0, third = 0.0;
    std::size_t begin = 0, end = 0;
  };
  struct Neighbour {
    double distance = 0.0;
    std::size_t sample = 0;
  };
  [[nodiscard]] std::vector<std::size_t> nearest_lines(const std::array<double, 3>& place) const;
  void add_neighbours(const Line& line, const std::array<double, 3>& place, const Skip& skip,
                      std::vector<Neighbour>& found) const;
  [[nodiscard]] std::vector<Neighbour> neighbours(const std::array<double, 3>& place,
                                                  const Skip& skip) const;
  [[nodiscard]] double covariance(double distance) const;

  KrigingOptions options_;
  std::vector<KrigingSample> samples_;
  std::vector<Line> lines_;
};

}  // namespace stepcast

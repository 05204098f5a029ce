#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace stepcast {

// One observed number and its forecast, or the reason why there is none.
struct ScoredRow {
  std::string id;      // the row's own: "sc21-table1-1.7b-32", "gemm_h100_sxm.csv:17"
  std::string source;  // family of sources: rows that are averaged together
  std::string metric;  // step_time_s, time_s, static_allocated_bytes, peak_allocated_bytes, fits,
                       // faster (1: the faster of two is predicted faster), speed_ratio
  double observed = 0.0;
  double predicted = 0.0;
  std::optional<double> p10, p90;
  std::string skipped;  // empty: scored
  std::string basis;    // of a kernel's or collective's cost; "measured" is a point of the profile
  std::string group;    // rows worth ranking against each other: "gpt3-175b on 512 GPUs"

  [[nodiscard]] bool scored() const { return skipped.empty(); }
  // predicted / observed - 1; of `fits`: predicted - observed.
  [[nodiscard]] double error() const;
};

// Errors over the scored rows of one source and metric; they are fractions, 0.05 is 5 %.
struct ScoreSummary {
  std::string source, metric;
  std::size_t rows = 0, scored = 0;
  double mape = 0.0;    // mean of |error|
  double median = 0.0;  // of |error|
  double p90 = 0.0;     // of |error|
  double bias = 0.0;    // mean of error
  std::string worst_id;
  double worst_error = 0.0;
  // Share of observations inside [p10, p90]; nullopt where no row has an interval.
  std::optional<double> coverage;
  // Rank agreement of predicted and observed (tau-b) over pairs within groups, or over all rows
  // when no group has three; nullopt with fewer than two rows or without order.
  std::optional<double> kendall_tau;
};

// The same for one group of at least five scored rows (not of `fits`).
struct ScoreGroup {
  std::string source, metric, group;
  std::size_t rows = 0;
  double mape = 0.0, bias = 0.0;
  std::optional<double> kendall_tau;
};

struct Score {
  std::vector<ScoredRow> rows;  // in the order given
  std::vector<ScoreSummary> summary;
  std::vector<ScoreGroup> groups;
  std::map<std::string, double> macro_mape;  // by metric: mean over sources of their mape
};

[[nodiscard]] Score summarize(std::vector<ScoredRow> rows);

// Kendall's tau-b of paired values, counting only pairs within the same group:
// (C - D) / sqrt((n0 - n1)(n0 - n2)), n1 and n2 the pairs tied in x and in y.
// Source: Kendall, "The treatment of ties in ranking problems", Biometrika 33 (1945).
// nullopt when nothing can be ordered. O(n^2) pairs.
struct RankedPair {
  double x = 0.0, y = 0.0;
  std::string group;
};
[[nodiscard]] std::optional<double> kendall_tau_b(const std::vector<RankedPair>& pairs);

// A quantile by linear interpolation between order statistics. Precondition: not empty.
[[nodiscard]] double quantile(std::vector<double> values, double share);

}  // namespace stepcast

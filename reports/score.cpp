#include "reports/score.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/errors.hpp"

namespace stepcast {

namespace {

using Rows = std::vector<const ScoredRow*>;

// By (source, metric), scored or not, in order of first appearance.
std::vector<std::pair<std::pair<std::string, std::string>, Rows>> by_source(
    const std::vector<ScoredRow>& rows) {
  std::vector<std::pair<std::pair<std::string, std::string>, Rows>> out;
  std::map<std::pair<std::string, std::string>, std::size_t> index;
  for (const ScoredRow& row : rows) {
    const auto key = std::pair(row.source, row.metric);
    const auto [at, added] = index.emplace(key, out.size());
    if (added) out.push_back({key, {}});
    out[at->second].second.push_back(&row);
  }
  return out;
}

double mean_error(const Rows& rows) {
  double sum = 0.0;
  for (const ScoredRow* row : rows) sum += row->error();
  return sum / static_cast<double>(rows.size());
}

double mean_size(const Rows& rows) {
  double sum = 0.0;
  for (const ScoredRow* row : rows) sum += std::fabs(row->error());
  return sum / static_cast<double>(rows.size());
}

std::optional<double> coverage(const Rows& rows) {
  std::size_t with_interval = 0, inside = 0;
  for (const ScoredRow* row : rows) {
    if (!row->p10 || !row->p90) continue;
    ++with_interval;
    if (*row->p10 <= row->observed && row->observed <= *row->p90) ++inside;
  }
  if (with_interval == 0) return std::nullopt;
  return static_cast<double>(inside) / static_cast<double>(with_interval);
}

// Pairs for ranking; `grouped` keeps them apart by group.
std::vector<RankedPair> ranked(const Rows& rows, bool grouped) {
  std::vector<RankedPair> pairs;
  for (const ScoredRow* row : rows)
    pairs.push_back({row->predicted, row->observed, grouped ? row->group : ""});
  return pairs;
}

std::map<std::string, Rows> by_group(const Rows& rows) {
  std::map<std::string, Rows> groups;
  for (const ScoredRow* row : rows)
    if (!row->group.empty()) groups[row->group].push_back(row);
  return groups;
}

std::optional<double> tau_of(const Rows& rows) {
  // Kernel sweeps are thousands of rows whose order says nothing that their errors do not.
  constexpr std::size_t most_rows = 3000;
  if (rows.size() > most_rows) return std::nullopt;
  const auto groups = by_group(rows);
  const bool grouped = std::any_of(groups.begin(), groups.end(),
                                   [](const auto& group) { return group.second.size() >= 3; });
  return kendall_tau_b(ranked(rows, grouped));
}

void add_errors(const Rows& scored, ScoreSummary& summary) {
  std::vector<double> sizes;
  const ScoredRow* worst = scored.front();
  for (const ScoredRow* row : scored) {
    sizes.push_back(std::fabs(row->error()));
    if (std::fabs(row->error()) > std::fabs(worst->error())) worst = row;
  }
  summary.mape = mean_size(scored);
  summary.median = quantile(sizes, 0.5);
  summary.p90 = quantile(sizes, 0.9);
  summary.bias = mean_error(scored);
  summary.worst_id = worst->id;
  summary.worst_error = worst->error();
  summary.coverage = coverage(scored);
  if (summary.metric != "fits") summary.kendall_tau = tau_of(scored);
}

}  // namespace

double ScoredRow::error() const {
  return metric == "fits" ? predicted - observed : predicted / observed - 1.0;
}

double quantile(std::vector<double> values, double share) {
  STEPCAST_CHECK(!values.empty());
  std::sort(values.begin(), values.end());
  const double at = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (values[above] - values[below]) * (at - static_cast<double>(below));
}

Score summarize(std::vector<ScoredRow> rows) {
  constexpr std::size_t least_rows_of_group = 5;
  Score score;
  score.rows = std::move(rows);
  std::map<std::string, std::vector<double>> mapes;
  for (const auto& [key, all] : by_source(score.rows)) {
    ScoreSummary summary;
    summary.source = key.first;
    summary.metric = key.second;
    summary.rows = all.size();
    Rows scored;
    std::copy_if(all.begin(), all.end(), std::back_inserter(scored),
                 [](const ScoredRow* row) { return row->scored(); });
    summary.scored = scored.size();
    if (!scored.empty()) {
      add_errors(scored, summary);
      mapes[summary.metric].push_back(summary.mape);
    }
    score.summary.push_back(summary);
    if (key.second == "fits") continue;  // outcomes of one configuration say nothing about others
    for (const auto& [name, members] : by_group(scored))
      if (members.size() >= least_rows_of_group)
        score.groups.push_back({key.first, key.second, name, members.size(), mean_size(members),
                                mean_error(members), kendall_tau_b(ranked(members, false))});
  }
  for (const auto& [metric, values] : mapes) {
    double sum = 0.0;
    for (const double mape : values) sum += mape;
    score.macro_mape[metric] = sum / static_cast<double>(values.size());
  }
  return score;
}

}  // namespace stepcast

#include "reports/score_text.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

#include "reports/text_table.hpp"

namespace stepcast {

namespace {

std::string optional_text(const std::optional<double>& value, bool as_percent) {
  if (!value) return "-";
  return as_percent ? percent(*value) : three_digits(*value);
}

// Rows that the profile was made from are no test of it.
std::string in_sample_line(const Score& score) {
  const auto count = [&](const auto& is) {
    return std::count_if(score.rows.begin(), score.rows.end(), is);
  };
  const auto measured =
      count([](const ScoredRow& row) { return row.scored() && row.basis == "measured"; });
  if (measured == 0) return "";
  const auto scored = count([](const ScoredRow& row) { return row.scored(); });
  return std::to_string(measured) + " of " + std::to_string(scored) +
         " scored rows are points of the profile itself: their errors say nothing about others\n";
}

std::string summary_table(const Score& score) {
  TextTable table({{"source", Align::left},
                   {"metric", Align::left},
                   {"rows"},
                   {"scored"},
                   {"mean |error| (%)"},
                   {"median (%)"},
                   {"p90 (%)"},
                   {"bias (%)"},
                   {"worst (%)"},
                   {"in p10-p90 (%)"},
                   {"tau"}});
  for (const ScoreSummary& s : score.summary) {
    std::vector<std::string> cells{s.source, s.metric, std::to_string(s.rows),
                                   std::to_string(s.scored)};
    if (s.scored == 0) {
      cells.insert(cells.end(), 7, "-");
    } else {
      cells.insert(cells.end(),
                   {percent(s.mape), percent(s.median), percent(s.p90), signed_percent(s.bias),
                    signed_percent(s.worst_error), optional_text(s.coverage, true),
                    optional_text(s.kendall_tau, false)});
    }
    table.add_row(std::move(cells));
  }
  std::string out = table.empty() ? "no rows\n" : table.str();
  for (const auto& [metric, mape] : score.macro_mape)
    out += "mean over sources, " + metric + ": " + percent(mape) + " %\n";
  return out + in_sample_line(score);
}

// The largest groups of each source: those whose ranking says most.
std::string group_table(const Score& score) {
  constexpr std::size_t most_groups = 5;  // of each source and metric
  TextTable table({{"group", Align::left},
                   {"source", Align::left},
                   {"metric", Align::left},
                   {"rows"},
                   {"mean |error| (%)"},
                   {"bias (%)"},
                   {"tau"}});
  for (const ScoreSummary& s : score.summary) {
    std::vector<const ScoreGroup*> groups;
    for (const ScoreGroup& g : score.groups)
      if (g.source == s.source && g.metric == s.metric) groups.push_back(&g);
    std::stable_sort(groups.begin(), groups.end(),
                     [](const ScoreGroup* a, const ScoreGroup* b) { return a->rows > b->rows; });
    groups.resize(std::min(groups.size(), most_groups));
    for (const ScoreGroup* g : groups)
      table.add_row({g->group, g->source, g->metric, std::to_string(g->rows), percent(g->mape),
                     signed_percent(g->bias), optional_text(g->kendall_tau, false)});
  }
  return table.empty() ? "" : "\n" + table.str();
}

std::string worst_table(const Score& score) {
  constexpr std::size_t worst_shown = 3;  // of each source and metric
  TextTable table({{"worst rows", Align::left},
                   {"source", Align::left},
                   {"metric", Align::left},
                   {"observed"},
                   {"predicted"},
                   {"error (%)"}});
  for (const ScoreSummary& s : score.summary) {
    std::vector<const ScoredRow*> rows;
    for (const ScoredRow& row : score.rows)
      if (row.scored() && row.source == s.source && row.metric == s.metric) rows.push_back(&row);
    std::stable_sort(rows.begin(), rows.end(), [](const ScoredRow* a, const ScoredRow* b) {
      return std::fabs(a->error()) > std::fabs(b->error());
    });
    rows.resize(std::min(rows.size(), worst_shown));
    for (const ScoredRow* row : rows)
      if (row->error() != 0.0)
        table.add_row({row->id, row->source, row->metric, three_digits(row->observed),
                       three_digits(row->predicted), signed_percent(row->error())});
  }
  return table.empty() ? "" : "\n" + table.str();
}

std::string skipped_table(const Score& score) {
  std::map<std::pair<std::string, std::string>, std::pair<std::size_t, std::string>> reasons;
  for (const ScoredRow& row : score.rows) {
    if (row.scored()) continue;
    auto& [count, example] = reasons[{row.source, row.skipped}];
    if (count++ == 0) example = row.id;
  }
  TextTable table(
      {{"skipped"}, {"source", Align::left}, {"first", Align::left}, {"reason", Align::left}});
  for (const auto& [key, value] : reasons)
    table.add_row({std::to_string(value.first), key.first, value.second, key.second});
  return table.empty() ? "" : "\n" + table.str();
}

}  // namespace

std::string score_text(const Score& score) {
  return summary_table(score) + group_table(score) + worst_table(score) + skipped_table(score);
}

}  // namespace stepcast

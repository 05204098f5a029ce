#include "reports/comparison_tables.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "reports/breakdown.hpp"
#include "reports/comparison_metrics.hpp"
#include "reports/text_table.hpp"

namespace stepcast {

namespace {

std::string name_of_column(std::size_t index) { return "[" + std::to_string(index) + "]"; }

ReportTable side_by_side(const std::string& title, std::size_t first, std::size_t count) {
  ReportTable table{{title}, {}};
  for (std::size_t i = first; i < count; ++i) table.headers.push_back(name_of_column(i));
  return table;
}

template <class Cell>
void add_row(ReportTable& table, std::string_view label, const std::vector<Forecast>& forecasts,
             Cell cell) {
  std::vector<std::string> cells{std::string(label)};
  for (const Forecast& forecast : forecasts) cells.push_back(cell(forecast.prediction));
  table.rows.push_back(std::move(cells));
}

ReportTable inputs_that_differ(const Comparison& comparison, std::size_t count) {
  ReportTable table = side_by_side("inputs that differ", 0, count);
  for (const InputChange& change : comparison.inputs_changed) {
    std::vector<std::string> cells{change.path};
    for (const auto& value : change.values) cells.push_back(value.value_or("-"));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::string rank_of(const Comparison& comparison, const std::vector<Forecast>& forecasts,
                    std::size_t index) {
  if (forecasts[index].prediction.verdict == MemoryVerdict::out_of_memory) return "does not fit";
  const auto at = std::find(comparison.ranking.begin(), comparison.ranking.end(), index);
  return std::to_string(at - comparison.ranking.begin() + 1);
}

ReportTable summary(const Comparison& comparison, const std::vector<Forecast>& forecasts) {
  ReportTable table = side_by_side("summary", 0, forecasts.size());
  for (const ComparisonMetric& metric : comparison_metrics())
    add_row(table, metric.label, forecasts,
            [&](const Prediction& p) { return metric.text(metric.value(p)); });
  add_row(table, "memory", forecasts, [](const auto& p) { return verdict_words(p.verdict); });
  std::vector<std::string> ranks{"rank"}, front{"Pareto"};
  for (std::size_t i = 0; i < forecasts.size(); ++i) {
    ranks.push_back(rank_of(comparison, forecasts, i));
    const bool in = std::ranges::find(comparison.pareto, i) != comparison.pareto.end();
    front.push_back(in ? "yes" : "no");
  }
  table.rows.push_back(std::move(ranks));
  table.rows.push_back(std::move(front));
  return table;
}

ReportTable step_terms(const std::vector<Forecast>& forecasts) {
  ReportTable table = side_by_side("step time of the critical stage (s)", 0, forecasts.size());
  add_row(table, "stage", forecasts,
          [](const auto& p) { return std::to_string(p.breakdown[critical_stage(p)].stage); });
  const auto add = [&](std::string_view label, Seconds StageBreakdown::*value) {
    const auto seconds = [&](const Prediction& p) {
      return (p.breakdown[critical_stage(p)].*value).value();
    };
    if (std::any_of(forecasts.begin(), forecasts.end(),
                    [&](const auto& f) { return seconds(f.prediction) != 0.0; }))
      add_row(table, label, forecasts, [&](const auto& p) { return three_digits(seconds(p)); });
  };
  for (const BreakdownTerm& term : breakdown_terms()) add(term.label, term.value);
  add("total", &StageBreakdown::total);
  return table;
}

ReportTable memory_parts(const std::vector<Forecast>& forecasts) {
  ReportTable table = side_by_side("memory of the fullest stage (GiB)", 0, forecasts.size());
  if (std::any_of(forecasts.begin(), forecasts.end(),
                  [](const auto& f) { return f.prediction.memory.empty(); }))
    return table;
  add_row(table, "stage", forecasts,
          [](const auto& p) { return std::to_string(p.memory[fullest_stage(p)].stage); });
  for (const MemoryTerm& term : memory_terms())
    add_row(table, term.label, forecasts,
            [&](const auto& p) { return gib((p.memory[fullest_stage(p)].*term.value).value()); });
  add_row(table, "total", forecasts, [](const auto& p) { return gib(memory_needed(p).value()); });
  return table;
}

std::string signed_text(double value, std::string (*text)(double)) {
  return (value > 0.0 ? "+" : "") + text(value);
}

const Difference& against_first(const Comparison& comparison, std::string_view metric,
                                std::size_t to) {
  return *std::ranges::find_if(comparison.differences, [&](const Difference& difference) {
    return difference.metric == metric && difference.to == to;
  });
}

// The terms of one metric that differ anywhere, in the order in which they first matter, and their
// sum.
ReportTable terms_against_first(const Comparison& comparison, std::string_view metric,
                                const std::string& title, std::size_t count,
                                std::string (*text)(double)) {
  ReportTable table = side_by_side(title, 1, count);
  std::vector<std::string> sum{"sum"};
  for (std::size_t to = 1; to < count; ++to) {
    const Difference& difference = against_first(comparison, metric, to);
    for (const DifferenceTerm& term : difference.terms) {
      auto row = std::ranges::find(table.rows, term.name, [](const auto& r) { return r.front(); });
      if (row == table.rows.end()) {
        table.rows.push_back({term.name});
        table.rows.back().resize(count, "0");
        row = std::prev(table.rows.end());
      }
      (*row)[to] = signed_text(term.value, text);
    }
    sum.push_back(signed_text(difference.values[to] - difference.values[0], text));
  }
  if (!table.rows.empty()) table.rows.push_back(std::move(sum));
  return table;
}

bool same_size_of_work(const std::vector<Forecast>& forecasts) {
  return std::ranges::all_of(forecasts, [&](const Forecast& forecast) {
    return same_work(forecast.prediction, forecasts.front().prediction);
  });
}

}  // namespace

std::vector<ReportTable> comparison_tables(const Comparison& comparison,
                                           const std::vector<Forecast>& forecasts) {
  const std::size_t count = forecasts.size();
  const auto against = [&](std::string_view metric, const std::string& title,
                           std::string (*text)(double)) {
    return terms_against_first(comparison, metric, title, count, text);
  };
  std::vector<ReportTable> tables{inputs_that_differ(comparison, count),
                                  summary(comparison, forecasts), step_terms(forecasts),
                                  against("step_time_s", "step time minus [0] (s)", three_digits)};
  if (!same_size_of_work(forecasts))
    tables.push_back(against("gpu_seconds_per_million_tokens",
                             "GPU-seconds per million tokens minus [0]", three_digits));
  tables.push_back(memory_parts(forecasts));
  tables.push_back(against("peak_allocated_bytes", "peak allocated minus [0] (GiB)", gib));
  std::erase_if(tables, [](const ReportTable& table) { return table.rows.empty(); });
  return tables;
}

}  // namespace stepcast

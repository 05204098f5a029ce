#include "reports/stage_tables.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "reports/breakdown.hpp"
#include "reports/text_table.hpp"

namespace stepcast {

namespace {

constexpr std::size_t most_stages_shown = 8;

// All stages, or the first, `special` and the last.
std::vector<std::size_t> shown_stages(std::size_t count, std::size_t special) {
  std::set<std::size_t> shown;
  if (count <= most_stages_shown) {
    for (std::size_t i = 0; i < count; ++i) shown.insert(i);
  } else {
    shown = {0, special, count - 1};
  }
  return {shown.begin(), shown.end()};
}

struct Spread {
  double least = 0.0, mean = 0.0, most = 0.0;
};

Spread spread_of(const Prediction& prediction, Seconds StageBreakdown::*value) {
  Spread spread{(prediction.breakdown.front().*value).value(), 0.0, 0.0};
  for (const StageBreakdown& stage : prediction.breakdown) {
    const double seconds = (stage.*value).value();
    spread.least = std::min(spread.least, seconds);
    spread.most = std::max(spread.most, seconds);
    spread.mean += seconds / static_cast<double>(prediction.breakdown.size());
  }
  return spread;
}

std::vector<Column> breakdown_columns(const Prediction& prediction,
                                      const std::vector<std::size_t>& shown, bool all) {
  std::vector<Column> columns{{"time (s)", Align::left}};
  for (const std::size_t i : shown)
    columns.push_back({"stage " + std::to_string(prediction.breakdown[i].stage)});
  if (!all) columns.insert(columns.end(), {{"min"}, {"mean"}, {"max"}});
  columns.push_back({prediction.breakdown.size() == 1 ? "%" : "mean %"});
  return columns;
}

}  // namespace

std::string breakdown_table(const Prediction& prediction) {
  if (prediction.breakdown.empty()) return "";
  const auto shown = shown_stages(prediction.breakdown.size(), critical_stage(prediction));
  const bool all = shown.size() == prediction.breakdown.size();
  TextTable table(breakdown_columns(prediction, shown, all));
  const double step = prediction.step_p50.value();
  const auto add = [&](std::string_view label, Seconds StageBreakdown::*value) {
    const Spread spread = spread_of(prediction, value);
    if (spread.most == 0.0 && spread.least == 0.0) return;
    std::vector<std::string> cells{std::string(label)};
    for (const std::size_t i : shown)
      cells.push_back(three_digits((prediction.breakdown[i].*value).value()));
    if (!all)
      for (const double v : {spread.least, spread.mean, spread.most})
        cells.push_back(three_digits(v));
    cells.push_back(percent(spread.mean / step));
    table.add_row(std::move(cells));
  };
  for (const BreakdownTerm& term : breakdown_terms()) add(term.label, term.value);
  add("total", &StageBreakdown::total);
  return table.str();
}

std::string memory_table(const Prediction& prediction) {
  if (prediction.memory.empty()) return "";
  const std::size_t fullest = fullest_stage(prediction);
  std::vector<Column> columns{{"memory (GiB)", Align::left}};
  for (const MemoryTerm& term : memory_terms()) columns.push_back({std::string(term.label)});
  columns.insert(columns.end(), {{"peak allocated"}, {"with overhead"}, {"free"}});
  TextTable table(std::move(columns));
  for (const std::size_t i : shown_stages(prediction.memory.size(), fullest)) {
    const StageMemory& stage = prediction.memory[i];
    std::vector<std::string> cells{"stage " + std::to_string(stage.stage)};
    for (const MemoryTerm& term : memory_terms()) cells.push_back(gib((stage.*term.value).value()));
    const Bytes need = stage.peak_allocated + stage.overhead;
    cells.push_back(gib(stage.peak_allocated.value()));
    cells.push_back(gib(need.value()));
    cells.push_back(gib((prediction.memory_capacity - need).value()));
    table.add_row(std::move(cells));
  }
  return table.str();
}

std::string alive_table(const Prediction& prediction, std::size_t most) {
  if (prediction.memory.empty()) return "";
  const StageMemory& stage = prediction.memory[fullest_stage(prediction)];
  TextTable table({{"alive at the peak", Align::left}, {"GiB"}, {"%"}});
  double rest = stage.peak_allocated.value();
  for (std::size_t i = 0; i < std::min(most, stage.alive_at_peak.size()); ++i) {
    const NamedBytes& part = stage.alive_at_peak[i];
    rest -= part.bytes.value();
    table.add_row({part.name, gib(part.bytes.value()), percent(part.bytes / stage.peak_allocated)});
  }
  if (stage.alive_at_peak.size() > most)
    table.add_row({std::to_string(stage.alive_at_peak.size() - most) + " more", gib(rest),
                   percent(rest / stage.peak_allocated.value())});
  return table.empty() ? "" : table.str();
}

}  // namespace stepcast

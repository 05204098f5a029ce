#include "reports/comparison_text.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "reports/breakdown.hpp"
#include "reports/text_table.hpp"

namespace stepcast {

namespace {

TextTable side_by_side(const std::string& title, const std::vector<Forecast>& forecasts) {
  std::vector<Column> columns{{title, Align::left}};
  for (std::size_t i = 0; i < forecasts.size(); ++i)
    columns.push_back({"[" + std::to_string(i) + "]"});
  return TextTable(std::move(columns));
}

template <class Cell>
void add_row(TextTable& table, const std::string& label, const std::vector<Forecast>& forecasts,
             Cell cell) {
  std::vector<std::string> cells{label};
  for (const Forecast& forecast : forecasts) cells.push_back(cell(forecast.prediction));
  table.add_row(std::move(cells));
}

std::string input_of(const Forecast& forecast, const std::string& path) {
  const auto found = forecast.inputs.find(path);
  return found == forecast.inputs.end() ? "-" : found->second;
}

std::string inputs_that_differ(const std::vector<Forecast>& forecasts) {
  std::set<std::string> paths;
  for (const Forecast& forecast : forecasts)
    for (const auto& [path, value] : forecast.inputs) paths.insert(path);
  TextTable table = side_by_side("inputs that differ", forecasts);
  for (const std::string& path : paths) {
    std::vector<std::string> cells{path};
    for (const Forecast& forecast : forecasts) cells.push_back(input_of(forecast, path));
    if (std::any_of(cells.begin() + 2, cells.end(), [&](const auto& c) { return c != cells[1]; }))
      table.add_row(std::move(cells));
  }
  return table.empty() ? "" : table.str() + "\n";
}

std::string rank_of(const Comparison& comparison, const std::vector<Forecast>& forecasts,
                    std::size_t index) {
  if (forecasts[index].prediction.verdict == MemoryVerdict::out_of_memory) return "does not fit";
  const auto at = std::find(comparison.ranking.begin(), comparison.ranking.end(), index);
  return std::to_string(at - comparison.ranking.begin() + 1);
}

std::string summary(const Comparison& comparison, const std::vector<Forecast>& forecasts) {
  TextTable table = side_by_side("summary", forecasts);
  const auto add = [&](const std::string& label, const auto& cell) {
    add_row(table, label, forecasts, cell);
  };
  add("step time (s)", [](const auto& p) { return three_digits(p.step_p50.value()); });
  add("p10-p90 (s)", [](const auto& p) {
    return three_digits(p.step_p10.value()) + "-" + three_digits(p.step_p90.value());
  });
  add("tokens/s/GPU", [](const auto& p) { return three_digits(p.tokens_per_s_per_gpu); });
  add("MFU causal (%)", [](const auto& p) { return percent(p.mfu_causal); });
  add("MFU full (%)", [](const auto& p) { return percent(p.mfu_full); });
  add("GPUs", [](const auto& p) { return std::to_string(p.gpus); });
  add("memory needed (GiB)", [](const auto& p) { return gib(memory_needed(p).value()); });
  add("free (GiB)",
      [](const auto& p) { return gib((p.memory_capacity - memory_needed(p)).value()); });
  std::vector<std::string> ranks{"rank"}, front{"Pareto"};
  for (std::size_t i = 0; i < forecasts.size(); ++i) {
    ranks.push_back(rank_of(comparison, forecasts, i));
    const bool in =
        std::find(comparison.pareto.begin(), comparison.pareto.end(), i) != comparison.pareto.end();
    front.push_back(in ? "yes" : "no");
  }
  table.add_row(std::move(ranks));
  table.add_row(std::move(front));
  return table.str();
}

std::string step_terms(const std::vector<Forecast>& forecasts) {
  TextTable table = side_by_side("step time of the critical stage (s)", forecasts);
  add_row(table, "stage", forecasts,
          [](const auto& p) { return std::to_string(p.breakdown[critical_stage(p)].stage); });
  const auto add = [&](std::string_view label, Seconds StageBreakdown::*value) {
    const auto seconds = [&](const Prediction& p) {
      return (p.breakdown[critical_stage(p)].*value).value();
    };
    if (std::any_of(forecasts.begin(), forecasts.end(),
                    [&](const auto& f) { return seconds(f.prediction) != 0.0; }))
      add_row(table, std::string(label), forecasts,
              [&](const auto& p) { return three_digits(seconds(p)); });
  };
  for (const BreakdownTerm& term : breakdown_terms()) add(term.label, term.value);
  add("total", &StageBreakdown::total);
  return table.str();
}

std::string memory_terms_table(const std::vector<Forecast>& forecasts) {
  if (std::any_of(forecasts.begin(), forecasts.end(),
                  [](const auto& f) { return f.prediction.memory.empty(); }))
    return "";
  TextTable table = side_by_side("memory of the fullest stage (GiB)", forecasts);
  add_row(table, "stage", forecasts,
          [](const auto& p) { return std::to_string(p.memory[fullest_stage(p)].stage); });
  for (const MemoryTerm& term : memory_terms())
    add_row(table, std::string(term.label), forecasts,
            [&](const auto& p) { return gib((p.memory[fullest_stage(p)].*term.value).value()); });
  add_row(table, "total", forecasts, [](const auto& p) { return gib(memory_needed(p).value()); });
  return table.str() + "\n";
}

}  // namespace

std::string comparison_text(const Comparison& comparison, const std::vector<Forecast>& forecasts) {
  std::string out;
  for (std::size_t i = 0; i < forecasts.size(); ++i)
    out += "[" + std::to_string(i) + "] " + forecasts[i].label + ": " +
           configuration_line(forecasts[i]) + "\n";
  out += "\n" + inputs_that_differ(forecasts) + summary(comparison, forecasts) + "\n" +
         step_terms(forecasts) + "\n" + memory_terms_table(forecasts);
  return out + comparison.verdict + "\n";
}

}  // namespace stepcast

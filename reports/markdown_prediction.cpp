#include "reports/markdown_prediction.hpp"

#include "reports/breakdown.hpp"
#include "reports/comparison_metrics.hpp"
#include "reports/markdown.hpp"
#include "reports/prediction_text.hpp"
#include "reports/report_table.hpp"
#include "reports/text_table.hpp"

namespace stepcast {

namespace {

ReportTable figures(const Prediction& p) {
  ReportTable table{{"metric", "value"}, {}};
  for (const ComparisonMetric& metric : comparison_metrics())
    table.rows.push_back({std::string(metric.label), metric.text(metric.value(p))});
  return table;
}

ReportTable step_parts(const Prediction& p) {
  const StageBreakdown& stage = p.breakdown[critical_stage(p)];
  ReportTable table{{"time of stage " + std::to_string(stage.stage), "s", "%"}, {}};
  for (const BreakdownTerm& term : breakdown_terms())
    if (const double seconds = (stage.*term.value).value(); seconds != 0.0)
      table.rows.push_back(
          {std::string(term.label), three_digits(seconds), percent(seconds / stage.total.value())});
  table.rows.push_back({"total", three_digits(stage.total.value()), "100"});
  return table;
}

ReportTable memory_parts(const Prediction& p) {
  if (p.memory.empty()) return {};
  const StageMemory& stage = p.memory[fullest_stage(p)];
  ReportTable table{{"memory of stage " + std::to_string(stage.stage), "GiB"}, {}};
  for (const MemoryTerm& term : memory_terms())
    table.rows.push_back({std::string(term.label), gib((stage.*term.value).value())});
  table.rows.push_back({"total", gib(memory_needed(p).value())});
  return table;
}

}  // namespace

std::string prediction_markdown(const Forecast& forecast) {
  const Prediction& p = forecast.prediction;
  std::string out = "**" + markdown_text(configuration_line(forecast)) + "**\n\nMemory " +
                    markdown_text(memory_sentence(p)) + "\n";
  for (const ReportTable& table : {figures(p), step_parts(p), memory_parts(p)})
    if (!table.rows.empty()) out += "\n" + markdown(table);
  if (!p.warnings.empty()) out += "\n";
  for (const Warning& warning : p.warnings)
    out +=
        "- warning (" + markdown_text(warning.code) + "): " + markdown_text(warning.message) + "\n";
  return out;
}

}  // namespace stepcast

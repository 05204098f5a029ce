#include "reports/comparison_text.hpp"

#include "reports/comparison_tables.hpp"
#include "reports/markdown.hpp"

namespace stepcast {

namespace {

std::string name_line(const std::vector<Forecast>& forecasts, std::size_t i) {
  return "[" + std::to_string(i) + "] " + forecasts[i].label + ": " +
         configuration_line(forecasts[i]);
}

}  // namespace

std::string comparison_text(const Comparison& comparison, const std::vector<Forecast>& forecasts) {
  std::string out;
  for (std::size_t i = 0; i < forecasts.size(); ++i) out += name_line(forecasts, i) + "\n";
  for (const ReportTable& table : comparison_tables(comparison, forecasts))
    out += "\n" + plain_text(table);
  out += "\n" + comparison.verdict + "\n";
  for (const std::string& note : comparison.notes) out += note + "\n";
  return out;
}

std::string comparison_markdown(const Comparison& comparison,
                                const std::vector<Forecast>& forecasts) {
  std::string out = "**" + markdown_text(comparison.verdict) + "**\n\n";
  for (const std::string& note : comparison.notes) out += "- " + markdown_text(note) + "\n";
  if (!comparison.notes.empty()) out += "\n";
  for (std::size_t i = 0; i < forecasts.size(); ++i)
    out += "- " + markdown_text(name_line(forecasts, i)) + "\n";
  for (const ReportTable& table : comparison_tables(comparison, forecasts))
    out += "\n" + markdown(table);
  return out;
}

}  // namespace stepcast

#include "reports/sweep_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "reports/breakdown.hpp"
#include "reports/comparison_metrics.hpp"
#include "reports/markdown.hpp"
#include "reports/prediction_text.hpp"
#include "reports/report_table.hpp"
#include "reports/text_table.hpp"

namespace stepcast {

namespace {

constexpr std::size_t bar_width = 20;

std::string with_unit(const SweepAxis& axis) {
  return axis.unit.empty() ? axis.path : axis.path + " (" + axis.unit + ")";
}

double fastest_per_gpu(const InputSweep& sweep) {
  double most = 0.0;
  for (const SweepPoint& point : sweep.points)
    if (point.forecast) most = std::max(most, point.forecast->prediction.tokens_per_s_per_gpu);
  return most;
}

std::string bar(double share) {
  const auto length = static_cast<std::size_t>(std::lround(share * bar_width));
  return std::string(length, '=') + std::string(bar_width - length, ' ');
}

bool scales(const InputSweep& sweep) {
  return std::ranges::any_of(sweep.axes,
                             [](const auto& axis) { return axis.kind == AxisKind::gpus; });
}

// A column of the table: its header, and its cell of a point that has a forecast.
struct PointColumn {
  std::string header;
  std::function<std::string(const SweepPoint&, const Prediction&)> cell;
  std::string without = "-";  // a forecast
};

std::vector<PointColumn> point_columns(const InputSweep& sweep) {
  const double most = fastest_per_gpu(sweep);
  const auto of_prediction = [](auto text) {
    return [text](const SweepPoint&, const Prediction& p) { return text(p); };
  };
  const auto efficiency = [](const SweepPoint& point, const Prediction&) {
    return point.scaling_efficiency ? percent(*point.scaling_efficiency) : "-";
  };
  const PointColumn second =
      scales(sweep)
          ? PointColumn{"efficiency (%)", efficiency}
          : PointColumn{"GPUs",
                        of_prediction([](const Prediction& p) { return std::to_string(p.gpus); })};
  return {
      second,
      {"step (s)", of_prediction([](const auto& p) { return three_digits(p.step_p50.value()); })},
      {"p10-p90 (s)", of_prediction([](const auto& p) {
         return three_digits(p.step_p10.value()) + "-" + three_digits(p.step_p90.value());
       })},
      {"MFU (%)", of_prediction([](const auto& p) { return percent(p.mfu_causal); })},
      {"free (GiB)", of_prediction([](const auto& p) { return gib(memory_headroom(p)); })},
      {"memory", of_prediction([](const auto& p) { return verdict_words(p.verdict); }), "invalid"},
      {"tokens/s/GPU",
       of_prediction([](const auto& p) { return three_digits(p.tokens_per_s_per_gpu); })},
      {std::string(bar_width, ' '),
       of_prediction([most](const auto& p) { return bar(p.tokens_per_s_per_gpu / most); }), ""}};
}

ReportTable points_table(const InputSweep& sweep) {
  const std::vector<PointColumn> columns = point_columns(sweep);
  ReportTable table;
  for (const SweepAxis& axis : sweep.axes) table.headers.push_back(with_unit(axis));
  for (const PointColumn& column : columns) table.headers.push_back(column.header);
  for (const SweepPoint& point : sweep.points) {
    std::vector<std::string> row;
    for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis)
      row.push_back(sweep.axes[axis].values[point.at[axis]].text);
    for (const PointColumn& column : columns)
      row.push_back(point.forecast ? column.cell(point, point.forecast->prediction)
                                   : column.without);
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string title(const InputSweep& sweep) {
  std::vector<std::string> names;
  for (const SweepAxis& axis : sweep.axes) names.push_back(with_unit(axis));
  std::string out = "sweep of " + join_words(names);
  if (scales(sweep))
    out += sweep.weak_scaling ? ", weak scaling: the global batch grows with the GPUs"
                              : ", strong scaling: the global batch stays";
  if (sweep.data_follows) out += "; parallel.data takes the GPUs that are left";
  return out;
}

std::string knee_sentence(const InputSweep& sweep, const Knee& knee) {
  const SweepAxis& axis = sweep.axes[knee.axis];
  const std::string curve = knee.other.empty() ? "" : " with " + knee.other;
  if (!knee.value) return "no knee of " + axis.path + curve + ": " + knee.reason;
  return "knee of " + axis.path + curve + " at " + axis.values[*knee.value].text +
         (axis.unit.empty() ? "" : " " + axis.unit) + ": " + knee.reason;
}

std::string best_sentence(const InputSweep& sweep) {
  if (!sweep.best) return "no point has a forecast that fits in memory";
  const SweepPoint& best = sweep.points[*sweep.best];
  const Prediction& p = best.forecast->prediction;
  return fmt::format("best is {}: {} tokens/s/GPU, step {} s, memory {}", best.label,
                     three_digits(p.tokens_per_s_per_gpu), three_digits(p.step_p50.value()),
                     memory_sentence(p));
}

std::vector<std::string> problems(const InputSweep& sweep) {
  std::vector<std::string> lines;
  for (const SweepPoint& point : sweep.points)
    if (!point.problem.empty()) lines.push_back(point.label + ": " + point.problem);
  return lines;
}

std::vector<std::string> conclusions(const InputSweep& sweep) {
  std::vector<std::string> lines;
  for (const Knee& knee : sweep.knees) lines.push_back(knee_sentence(sweep, knee));
  lines.push_back(best_sentence(sweep));
  return lines;
}

// The configuration of the best point, or of any.
std::string example_line(const InputSweep& sweep) {
  const SweepPoint* example = sweep.best ? &sweep.points[*sweep.best] : nullptr;
  for (const SweepPoint& point : sweep.points)
    if (!example && point.forecast) example = &point;
  return example ? example->label + ": " + configuration_line(*example->forecast) + "\n" : "";
}

std::string lines_of(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

std::string list_of(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += "- " + markdown_text(line) + "\n";
  return out;
}

}  // namespace

std::string sweep_text(const InputSweep& sweep) {
  std::vector<std::string> parts{title(sweep) + "\n" + example_line(sweep),
                                 plain_text(points_table(sweep)), lines_of(problems(sweep)),
                                 lines_of(conclusions(sweep))};
  std::erase(parts, "");
  return join(parts, "\n");
}

std::string sweep_markdown(const InputSweep& sweep) {
  std::vector<std::string> parts{"**" + markdown_text(title(sweep)) + "**\n",
                                 list_of(conclusions(sweep)),
                                 markdown_text(example_line(sweep)) + "\n",
                                 markdown(points_table(sweep)), list_of(problems(sweep))};
  std::erase(parts, "");
  std::erase(parts, "\n");
  return join(parts, "\n");
}

}  // namespace stepcast

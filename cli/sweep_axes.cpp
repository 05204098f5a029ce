#include "cli/sweep_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "common/errors.hpp"

namespace stepcast::cli {

namespace {

using nlohmann::json;

constexpr std::size_t most_points = 200;

struct NamedSweep {
  const char* name;
  const char* unit;
  AxisKind kind;
  std::vector<std::string> targets;
};

const std::vector<NamedSweep>& named_sweeps() {
  static const std::vector<NamedSweep> names{
      {"gpus", "", AxisKind::gpus, {"cluster.gpus", "cluster.nodes"}},
      {"network_GBps", "GB/s per NIC", AxisKind::rate, {"cluster.overrides.nic_bandwidth_GBps"}},
      {"nvlink_GBps", "GB/s per GPU", AxisKind::rate, {"cluster.overrides.nvlink_bandwidth_GBps"}}};
  return names;
}

const NamedSweep* named(const std::string& path) {
  for (const NamedSweep& name : named_sweeps())
    if (path == name.name) return &name;
  return nullptr;
}

// Parts between commas that are not inside brackets or quotes.
std::vector<std::string> split_values(const std::string& text) {
  std::vector<std::string> parts{""};
  int depth = 0;
  bool quoted = false, escaped = false;
  for (const char c : text) {
    if (c == '"' && !escaped) quoted = !quoted;
    escaped = quoted && c == '\\' && !escaped;
    if (!quoted) depth += (c == '[' || c == '{') ? 1 : (c == ']' || c == '}') ? -1 : 0;
    if (c == ',' && depth <= 0 && !quoted)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

SweepValue value_of(const std::string& text) {
  json value = json::parse(text, nullptr, false);
  if (value.is_discarded()) value = text;
  return {value.dump(-1, ' ', false, json::error_handler_t::replace), text,
          value.is_number() ? std::optional(value.get<double>()) : std::nullopt};
}

std::optional<double> number_of(std::string_view text) {
  double value = 0.0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || rest != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

// The problem of a sweep's text; thrown to parse_axis.
struct BadSweep {
  std::string message;
};

// "8..512*2": every value of it, or what is wrong. Precondition: `text` holds "..".
std::vector<SweepValue> range_of(const std::string& text) {
  const std::size_t dots = text.find("..");
  const std::size_t step_at = text.find_first_of("*+", dots);
  const auto first = number_of(std::string_view(text).substr(0, dots));
  const bool stepped = step_at != std::string::npos;
  const auto last = stepped ? number_of(std::string_view(text).substr(dots + 2, step_at - dots - 2))
                            : std::nullopt;
  const auto step = stepped ? number_of(std::string_view(text).substr(step_at + 1)) : std::nullopt;
  if (!first || !last || !step)
    throw BadSweep{"a range is first..last*factor or first..last+step as in 8..512*2, found \"" +
                   text + "\""};
  const bool factor = text[step_at] == '*';
  if (*last < *first || (factor ? *first <= 0.0 || *step <= 1.0 : *step <= 0.0))
    throw BadSweep{std::string("a range must grow: ") +
                   (factor ? "0 < first <= last and factor > 1" : "first <= last and step > 0") +
                   ", found \"" + text + "\""};
  std::vector<SweepValue> values;
  const double end = *last + 1e-9 * std::abs(*last);  // rounding of a range of fractions
  for (int i = 0; values.size() <= most_points; ++i) {
    const double value = factor ? *first * std::pow(*step, i) : *first + *step * i;
    if (value > end) return values;
    values.push_back(value_of(fmt::format("{:.12g}", value)));
  }
  throw BadSweep{fmt::format("at most {} values, found more in \"{}\"", most_points, text)};
}

std::vector<SweepValue> values_of(const std::string& text) {
  std::vector<SweepValue> values;
  if (text.empty()) throw BadSweep{"needs at least one value"};
  for (const std::string& part : split_values(text)) {
    if (part.empty()) throw BadSweep{"holds an empty value, found \"" + text + "\""};
    const bool range = part.find("..") != std::string::npos && number_of(part.substr(0, 1));
    const auto more = range ? range_of(part) : std::vector<SweepValue>{value_of(part)};
    values.insert(values.end(), more.begin(), more.end());
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (json::parse(values[i].json) == json::parse(values[j].json))
        throw BadSweep{"holds " + values[i].text + " twice"};
  return values;
}

SweepAxis parse_axis(const std::string& sweep, std::vector<Problem>& problems) {
  const std::size_t equals = sweep.find('=');
  SweepAxis axis;
  axis.path = sweep.substr(0, equals);
  if (equals == std::string::npos || axis.path.empty()) {
    problems.push_back(
        {"", "--sweep " + sweep, "must be path=values such as parallel.tensor=1,2,4,8"});
    return axis;
  }
  if (const NamedSweep* name = named(axis.path)) {
    axis.unit = name->unit;
    axis.kind = name->kind;
  } else if (axis.path.ends_with("_GBps")) {
    axis.kind = AxisKind::rate;
  }
  try {
    axis.values = values_of(sweep.substr(equals + 1));
  } catch (const BadSweep& bad) {
    problems.push_back({"", "--sweep " + axis.path, bad.message});
  }
  return axis;
}

}  // namespace

std::vector<std::string> targets_of(const SweepAxis& axis) {
  const NamedSweep* name = named(axis.path);
  return name ? name->targets : std::vector<std::string>{axis.path};
}

std::vector<SweepAxis> parse_axes(const std::vector<std::string>& sweeps) {
  std::vector<Problem> problems;
  if (sweeps.size() > 2)
    problems.push_back({"", "--sweep", fmt::format("at most two axes, found {}", sweeps.size())});
  std::vector<SweepAxis> axes;
  for (const std::string& sweep : sweeps) axes.push_back(parse_axis(sweep, problems));
  if (!problems.empty()) throw InputError(std::move(problems));
  std::size_t points = 1;
  for (const SweepAxis& axis : axes) points *= axis.values.size();
  if (points > most_points)
    throw InputError(
        Problem{"", "--sweep", fmt::format("at most {} points, found {}", most_points, points)});
  return axes;
}

}  // namespace stepcast::cli

#include "reports/sweep_json.hpp"

#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "reports/breakdown.hpp"
#include "reports/comparison_metrics.hpp"
#include "reports/json_numbers.hpp"
#include "reports/version.hpp"

namespace stepcast {

namespace {

using nlohmann::json;

json value_json(const SweepAxis& axis, std::size_t value) {
  return json::parse(axis.values[value].json);
}

json axis_json(const SweepAxis& axis) {
  json values = json::array();
  for (std::size_t i = 0; i < axis.values.size(); ++i) values.push_back(value_json(axis, i));
  return {{"path", axis.path}, {"unit", axis.unit}, {"values", std::move(values)}};
}

// What a prediction says of a point; every key null without one.
json figures(const std::optional<Forecast>& forecast) {
  json out;
  for (const char* key : {"step_time_s", "tokens_per_s", "tokens_per_s_per_gpu", "mfu", "gpus",
                          "verdict", "peak_allocated_bytes", "headroom_bytes"})
    out[key] = nullptr;
  if (!forecast) return out;
  const Prediction& p = forecast->prediction;
  out["step_time_s"] = {
      {"p10", p.step_p10.value()}, {"p50", p.step_p50.value()}, {"p90", p.step_p90.value()}};
  out["tokens_per_s"] = p.tokens_per_s;
  out["tokens_per_s_per_gpu"] = p.tokens_per_s_per_gpu;
  out["mfu"] = {{"causal", p.mfu_causal}, {"full", p.mfu_full}};
  out["gpus"] = p.gpus;
  out["verdict"] = verdict_key(p.verdict);
  if (p.memory.empty()) return out;
  out["peak_allocated_bytes"] = bytes_json(p.memory[fullest_stage(p)].peak_allocated);
  out["headroom_bytes"] = bytes_json(Bytes{memory_headroom(p)});
  return out;
}

json point_json(const InputSweep& sweep, const SweepPoint& point) {
  json out = figures(point.forecast);
  out["values"] = json::array();
  for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis)
    out["values"].push_back(value_json(sweep.axes[axis], point.at[axis]));
  out["label"] = point.label;
  out["scaling_efficiency"] =
      point.scaling_efficiency ? json(*point.scaling_efficiency) : json(nullptr);
  out["problem"] = point.problem.empty() ? json(nullptr) : json(point.problem);
  return out;
}

json knee_json(const InputSweep& sweep, const Knee& knee) {
  return {{"axis", knee.axis},
          {"value", knee.value ? value_json(sweep.axes[knee.axis], *knee.value) : json(nullptr)},
          {"reason", knee.reason}};
}

std::set<std::string> profiles_of(const InputSweep& sweep) {
  std::set<std::string> names;
  for (const SweepPoint& point : sweep.points)
    if (point.forecast)
      if (const auto found = point.forecast->inputs.find("profile");
          found != point.forecast->inputs.end())
        names.insert(found->second);
  return names;
}

}  // namespace

json to_json(const InputSweep& sweep, const json& base, const std::string& detail) {
  json out{{"format", "stepcast.sweep"},
           {"version", 1},
           {"base", base},
           {"detail", detail},
           {"scaling", sweep.weak_scaling ? "weak" : "strong"},
           {"axes", json::array()},
           {"points", json::array()},
           {"knee", nullptr},
           {"knees", json::array()},
           {"best", sweep.best ? json(*sweep.best) : json(nullptr)},
           {"provenance", {{"version", product_version()}, {"profiles", profiles_of(sweep)}}}};
  for (const SweepAxis& axis : sweep.axes) out["axes"].push_back(axis_json(axis));
  for (const SweepPoint& point : sweep.points) out["points"].push_back(point_json(sweep, point));
  for (const Knee& knee : sweep.knees) {
    json one = knee_json(sweep, knee);
    if (out["knees"].empty() && knee.value) out["knee"] = one;
    if (!knee.other.empty()) one["where"] = knee.other;
    out["knees"].push_back(std::move(one));
  }
  return out;
}

}  // namespace stepcast

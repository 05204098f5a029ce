#include "reports/comparison_json.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "reports/version.hpp"

namespace stepcast {

namespace {

using nlohmann::json;

json difference_json(const Difference& difference) {
  const char* unit = difference.metric.ends_with("_bytes") ? "bytes" : "seconds";
  json terms = json::array();
  for (const DifferenceTerm& term : difference.terms)
    terms.push_back({{"name", term.name}, {unit, term.value}});
  return {{"metric", difference.metric},
          {"values", difference.values},
          {"from", difference.from},
          {"to", difference.to},
          {"terms", std::move(terms)}};
}

// Numbers and booleans as such, other values as text; null where the input is absent.
json input_value(const std::optional<std::string>& text) {
  if (!text) return nullptr;
  json value = json::parse(*text, nullptr, false);
  return value.is_number() || value.is_boolean() ? value : json(*text);
}

json change_json(const InputChange& change) {
  json values = json::array();
  for (const auto& value : change.values) values.push_back(input_value(value));
  return {{"path", change.path}, {"values", std::move(values)}};
}

}  // namespace

json to_json(const Comparison& comparison, const std::vector<Forecast>& forecasts,
             const std::vector<json>& predictions) {
  json out{{"format", "stepcast.comparison"},
           {"version", 1},
           {"labels", json::array()},
           {"predictions", predictions},
           {"differences", json::array()},
           {"ranking", comparison.ranking},
           {"pareto", comparison.pareto},
           {"inputs_changed", json::array()},
           {"overlapping", comparison.overlapping},
           {"verdict", comparison.verdict},
           {"notes", comparison.notes},
           {"provenance", {{"version", product_version()}}}};
  for (const Forecast& forecast : forecasts) out["labels"].push_back(forecast.label);
  for (const Difference& difference : comparison.differences)
    out["differences"].push_back(difference_json(difference));
  for (const InputChange& change : comparison.inputs_changed)
    out["inputs_changed"].push_back(change_json(change));
  return out;
}

}  // namespace stepcast

#include "reports/comparison_json.hpp"

#include <nlohmann/json.hpp>

#include "reports/version.hpp"

namespace stepcast {

namespace {

using nlohmann::json;

json difference_json(const Difference& difference) {
  const char* unit = difference.metric == "peak_allocated_bytes" ? "bytes" : "seconds";
  json terms = json::array();
  for (const DifferenceTerm& term : difference.terms)
    terms.push_back({{"name", term.name}, {unit, term.value}});
  return {{"metric", difference.metric},
          {"values", difference.values},
          {"from", difference.from},
          {"to", difference.to},
          {"terms", std::move(terms)}};
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
           {"verdict", comparison.verdict},
           {"provenance", {{"version", product_version()}}}};
  for (const Forecast& forecast : forecasts) out["labels"].push_back(forecast.label);
  for (const Difference& difference : comparison.differences)
    out["differences"].push_back(difference_json(difference));
  return out;
}

}  // namespace stepcast

#include "reports/score_json.hpp"

#include <nlohmann/json.hpp>

#include "reports/version.hpp"

namespace stepcast {

namespace {

using nlohmann::json;

json optional_json(const std::optional<double>& value) {
  return value ? json(*value) : json(nullptr);
}

json row_json(const ScoredRow& row) {
  json out{{"id", row.id},
           {"source", row.source},
           {"metric", row.metric},
           {"observed", row.observed},
           {"predicted", nullptr},
           {"relative_error", nullptr},
           {"p10", optional_json(row.p10)},
           {"p90", optional_json(row.p90)},
           {"basis", row.basis.empty() ? json(nullptr) : json(row.basis)},
           {"skipped", row.scored() ? json(nullptr) : json(row.skipped)}};
  if (row.scored()) {
    out["predicted"] = row.predicted;
    out["relative_error"] = row.error();
  }
  return out;
}

json summary_json(const ScoreSummary& summary) {
  const bool any = summary.scored > 0;
  const auto number = [&](double value) { return any ? json(value) : json(nullptr); };
  return {{"source", summary.source},
          {"metric", summary.metric},
          {"rows", summary.rows},
          {"scored", summary.scored},
          {"mape", number(summary.mape)},
          {"median", number(summary.median)},
          {"p90", number(summary.p90)},
          {"bias", number(summary.bias)},
          {"worst_id", any ? json(summary.worst_id) : json(nullptr)},
          {"worst_error", number(summary.worst_error)},
          {"coverage_p10_p90", optional_json(summary.coverage)},
          {"kendall_tau", optional_json(summary.kendall_tau)}};
}

json group_json(const ScoreGroup& group) {
  return {{"source", group.source},
          {"metric", group.metric},
          {"group", group.group},
          {"rows", group.rows},
          {"mape", group.mape},
          {"bias", group.bias},
          {"kendall_tau", optional_json(group.kendall_tau)}};
}

}  // namespace

json to_json(const Score& score) {
  json out{{"format", "stepcast.score"},
           {"version", 1},
           {"rows", json::array()},
           {"summary", json::array()},
           {"groups", json::array()},
           {"macro_mape", score.macro_mape},
           {"provenance", {{"version", product_version()}}}};
  for (const ScoredRow& row : score.rows) out["rows"].push_back(row_json(row));
  for (const ScoreSummary& summary : score.summary) out["summary"].push_back(summary_json(summary));
  for (const ScoreGroup& group : score.groups) out["groups"].push_back(group_json(group));
  return out;
}

}  // namespace stepcast

#include "reports/advice_json.hpp"

#include <nlohmann/json.hpp>

#include "reports/advice_difference.hpp"
#include "reports/advice_text.hpp"
#include "reports/prediction_json.hpp"
#include "reports/version.hpp"
#include "sim/parallel/run_json.hpp"

namespace stepcast {

namespace {

using nlohmann::json;

template <class Value>
json or_null(const std::optional<Value>& value) {
  return value ? json(*value) : json();
}

const char* unit_name(FactUnit unit) {
  switch (unit) {
    case FactUnit::tokens: return "tokens";
    case FactUnit::ratio: return "ratio";
    case FactUnit::share: return "share";
    case FactUnit::bytes: return "bytes";
    case FactUnit::seconds: return "s";
    case FactUnit::bytes_per_second: return "bytes_per_s";
    case FactUnit::flops_per_second: return "flops_per_s";
    case FactUnit::count:
    case FactUnit::text: break;
  }
  return "count";
}

json facts_json(const std::vector<Fact>& facts) {
  json out = json::object();
  for (const Fact& fact : facts)
    out[fact.name] = fact.unit == FactUnit::text ? json(fact.text) : json(fact.value);
  return out;
}

json rule_json(const RuleEvaluation& rule, Language language) {
  return {{"axis", rule.axis},
          {"id", rule.id},
          {"question", question_of(rule, language)},
          {"value", rule.value},
          {"threshold", or_null(rule.threshold)},
          {"unit", unit_name(rule.unit)},
          {"holds", rule.holds},
          {"chosen", or_null(rule.chosen)},
          {"facts", facts_json(rule.facts)},
          {"reason", reason_of(rule, language)}};
}

json ranked_json(const std::optional<RankedRun>& one) {
  if (!one) return nullptr;
  return {{"run", to_json(one->run)}, {"prediction", to_json(one->prediction, one->run)}};
}

json degrees_json(const Degrees& degrees) {
  return {{"tensor", degrees.tensor},
          {"pipeline", degrees.pipeline},
          {"context", degrees.context},
          {"data", degrees.data}};
}

json curve_json(const std::vector<DegreePoint>& curve) {
  json out = json::array();
  for (const DegreePoint& point : curve)
    out.push_back({{"degree", point.degree},
                   {"gpus", point.gpus},
                   {"tokens_per_s_per_gpu", or_null(point.tokens_per_s_per_gpu)},
                   {"fits", point.fits},
                   {"problem", point.problem.empty() ? json() : json(point.problem)}});
  return out;
}

json memory_json(const Strategy& one) {
  return {{"parameters", one.memory.parameters.value()},
          {"gradients", one.memory.gradients.value()},
          {"optimizer", one.memory.optimizer.value()},
          {"activations", one.memory.activations.value()},
          {"transient", one.memory.transient.value()},
          {"overhead", one.memory.overhead.value()},
          {"saved_states", one.saved_states},
          {"saved_activations", one.saved_activations}};
}

json strategy_json(const Strategy& one, Language language) {
  const bool possible = one.problem.empty();
  const auto known = [&](const auto& value) { return possible ? json(value) : json(); };
  const bool shows_bubble = possible && one.limit.id == "limit.pp";
  return {{"name", one.name},
          {"degree", one.degree},
          {"used", one.used},
          {"problem", possible ? json() : json(one.problem)},
          {"degrees", possible ? degrees_json(one.degrees) : json()},
          {"splits", say(language, "split." + one.name)},
          {"memory_bytes", possible ? memory_json(one) : json()},
          {"bytes_per_step", known(one.bytes_per_step)},
          {"calls_per_step", known(one.calls_per_step)},
          {"exposed_s", known(one.exposed_s)},
          {"tier", known(one.tier)},
          {"hide_bandwidth_bytes_per_s", or_null(one.hide_bandwidth)},
          {"supplied_bandwidth_bytes_per_s", known(one.supplied_bandwidth)},
          {"bubble", shows_bubble ? json(one.limit.facts.back().value) : json()},
          {"limit", limit_of(one, language)},
          {"curve", curve_json(one.curve)},
          {"knee", one.knee == 0 ? json() : json(one.knee)}};
}

json group_json(const GroupSupply& group) {
  return {{"axis", group.axis},
          {"degree", group.degree},
          {"tier", group.tier},
          {"demanded_bytes_per_s", or_null(group.demanded)},
          {"supplied_bytes_per_s", group.supplied},
          {"flagged", group.flagged}};
}

json alternative_json(const Alternative& one) {
  json out{{"degrees", degrees_json(one.degrees)},
           {"fits", one.fits},
           {"problem", one.problem.empty() ? json() : json(one.problem)},
           {"memory_bytes", one.ranked ? json(one.memory) : json()},
           {"run", nullptr},
           {"step_time_s", nullptr},
           {"tokens_per_s_per_gpu", nullptr}};
  if (one.ranked) {
    out["run"] = to_json(one.ranked->run);
    out["step_time_s"] = one.ranked->prediction.step_p50.value();
    out["tokens_per_s_per_gpu"] = one.ranked->prediction.tokens_per_s_per_gpu;
  }
  return out;
}

json shortfall_json(const std::optional<Shortfall>& shortfall) {
  if (!shortfall) return nullptr;
  return {{"least_memory_bytes", or_null(shortfall->least_memory)},
          {"capacity_bytes", shortfall->capacity},
          {"gpus_needed", or_null(shortfall->gpus)}};
}

json request_json(const SearchRequest& request) {
  const Run& base = request.bases.front();
  return {{"model", base.model.name},
          {"cluster", base.cluster.name},
          {"framework", name_of(base.framework)},
          {"gpus", base.cluster.topology.gpu_count()},
          {"sequence_length", base.training.sequence_length},
          {"global_batch", base.training.global_batch},
          {"complexity", or_null(request.limits.complexity)},
          {"memory_margin", request.limits.memory_margin},
          {"pinned", request.pinned}};
}

template <class List, class ToJson>
json listed(const List& list, ToJson one_json) {
  json out = json::array();
  for (const auto& one : list) out.push_back(one_json(one));
  return out;
}

}  // namespace

json to_json(const Advice& advice, const SearchRequest& request, Language language) {
  const auto rule = [&](const RuleEvaluation& one) { return rule_json(one, language); };
  const bool answered = advice.recommended.has_value();
  return {{"format", "stepcast.advice"},
          {"version", 1},
          {"lang", name_of(language)},
          {"request", request_json(request)},
          {"recommended", ranked_json(advice.recommended)},
          {"conditions", listed(advice.conditions, rule)},
          {"rules", listed(advice.rules, rule)},
          {"groups", listed(advice.groups, group_json)},
          {"search_best", ranked_json(advice.search_best)},
          {"why_different", answered ? json(why_different(advice, language)) : json()},
          {"strategies", listed(advice.strategies,
                                [&](const auto& one) { return strategy_json(one, language); })},
          {"alternatives", listed(advice.alternatives, alternative_json)},
          {"notes", listed(advice.notes, [&](const auto& one) { return say(language, one); })},
          {"shortfall", shortfall_json(advice.shortfall)},
          {"provenance", {{"version", product_version()}}}};
}

}  // namespace stepcast

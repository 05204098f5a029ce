#include "reports/prediction_json.hpp"

#include <nlohmann/json.hpp>

#include "reports/breakdown.hpp"
#include "reports/json_numbers.hpp"
#include "reports/version.hpp"
#include "sim/parallel/run_json.hpp"

namespace stepcast {

namespace {

using nlohmann::json;

// Sets a term at its dotted key.
void set_at(json& object, std::string_view key, double value) {
  const std::size_t dot = key.find('.');
  if (dot == std::string_view::npos) {
    object[std::string(key)] = value;
  } else {
    object[std::string(key.substr(0, dot))][std::string(key.substr(dot + 1))] = value;
  }
}

json stage_breakdown_json(const StageBreakdown& stage) {
  json out{{"stage", stage.stage}, {"total_s", stage.total.value()}};
  for (const BreakdownTerm& term : breakdown_terms())
    set_at(out, term.key, (stage.*term.value).value());
  return out;
}

json communication_json(const CommunicationTotal& total) {
  return {{"group", total.group},
          {"op", total.op},
          {"algorithm", total.algorithm},
          {"protocol", total.protocol},
          {"ranks", total.ranks},
          {"bytes_per_rank", bytes_json(total.bytes_per_rank)},
          {"calls", total.calls},
          {"time_s", total.time.value()},
          {"exposed_s", total.exposed.value()},
          {"busbw_bytes_per_s", total.busbw.value()},
          {"tier", total.tier}};
}

json link_json(const LinkUtilisation& link) {
  return {{"tier", link.tier},
          {"capacity_bytes_per_s", link.capacity.value()},
          {"mean_utilisation", link.mean},
          {"peak_utilisation", link.peak}};
}

json stage_memory_json(const StageMemory& stage) {
  json alive = json::array();
  for (const NamedBytes& part : stage.alive_at_peak)
    alive.push_back({{"name", part.name}, {"bytes", bytes_json(part.bytes)}});
  json out{{"stage", stage.stage},
           {"static_allocated_bytes", bytes_json(stage.static_allocated)},
           {"peak_allocated_bytes", bytes_json(stage.peak_allocated)},
           {"peak_at_s", stage.peak_at.value()},
           {"alive_at_peak", std::move(alive)}};
  for (const MemoryTerm& term : memory_terms())
    out[std::string(term.key)] = bytes_json(stage.*term.value);
  return out;
}

std::string_view verdict_key(MemoryVerdict verdict) {
  switch (verdict) {
    case MemoryVerdict::fits: return "fits";
    case MemoryVerdict::tight: return "tight";
    case MemoryVerdict::out_of_memory: return "out_of_memory";
  }
  return "";
}

json memory_json(const Prediction& prediction) {
  json stages = json::array();
  for (const StageMemory& stage : prediction.memory) stages.push_back(stage_memory_json(stage));
  return {{"verdict", verdict_key(prediction.verdict)},
          {"capacity_bytes", bytes_json(prediction.memory_capacity)},
          {"worst_stage", prediction.worst_stage},
          {"stages", std::move(stages)}};
}

json speed_json(const Prediction& p) {
  return {{"step_time_s",
           {{"p10", p.step_p10.value()}, {"p50", p.step_p50.value()}, {"p90", p.step_p90.value()}}},
          {"tokens_per_s", p.tokens_per_s},
          {"tokens_per_s_per_gpu", p.tokens_per_s_per_gpu},
          {"model_tflops_per_gpu",
           {{"causal", p.model_flops_per_gpu_causal.value() / 1e12},
            {"full", p.model_flops_per_gpu_full.value() / 1e12}}},
          {"hardware_tflops_per_gpu", p.hardware_flops_per_gpu.value() / 1e12},
          {"mfu", {{"causal", p.mfu_causal}, {"full", p.mfu_full}}},
          {"hfu", p.hfu},
          {"gpus", p.gpus},
          {"micro_batches", p.micro_batches}};
}

}  // namespace

json to_json(const Prediction& prediction, const Run& run) {
  json out = speed_json(prediction);
  out["format"] = "stepcast.prediction";
  out["version"] = 1;
  out["breakdown"] = json::array();
  for (const StageBreakdown& stage : prediction.breakdown)
    out["breakdown"].push_back(stage_breakdown_json(stage));
  out["communication"] = json::array();
  for (const CommunicationTotal& total : prediction.communication)
    out["communication"].push_back(communication_json(total));
  out["links"] = json::array();
  for (const LinkUtilisation& link : prediction.links) out["links"].push_back(link_json(link));
  out["memory"] = memory_json(prediction);
  out["basis"] = {{"measured", prediction.basis.measured},
                  {"interpolated", prediction.basis.interpolated},
                  {"extrapolated", prediction.basis.extrapolated},
                  {"analytical", prediction.basis.analytical}};
  out["warnings"] = json::array();
  for (const Warning& warning : prediction.warnings)
    out["warnings"].push_back({{"code", warning.code}, {"message", warning.message}});
  out["inputs"] = to_json(run);
  out["provenance"] = {
      {"version", product_version()}, {"profile", run.profile}, {"sources", prediction.sources}};
  out["simulation"] = {{"events", prediction.events}};
  return out;
}

std::string document_text(const json& document) {
  return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace stepcast

#include "reports/migration_json.hpp"

#include <nlohmann/json.hpp>

#include "reports/json_numbers.hpp"
#include "reports/version.hpp"

namespace stepcast {
namespace {

using nlohmann::json;

template <class Value>
json or_null(const std::optional<Value>& value) {
  return value ? json(*value) : json();
}

json seconds_or_null(const std::optional<Seconds>& seconds) {
  return seconds ? json(seconds->value()) : json();
}

json problems_json(const std::vector<Problem>& problems) {
  json list = json::array();
  for (const Problem& problem : problems)
    list.push_back({{"where", problem.where}, {"message", problem.message}});
  return list;
}

json knobs_json(const std::vector<KnobChange>& knobs) {
  json list = json::array();
  for (const KnobChange& knob : knobs)
    list.push_back({{"knob", knob.knob},
                    {"from", json::parse(knob.from)},
                    {"to", json::parse(knob.to)},
                    {"flags",
                     {{"megatron", or_null(knob.flags.megatron)},
                      {"torchtitan", or_null(knob.flags.torchtitan)},
                      {"deepspeed", or_null(knob.flags.deepspeed)}}}});
  return list;
}

json numerics_json(const std::vector<KnobChange>& knobs) {
  json list = json::array();
  for (const KnobChange& knob : knobs)
    list.push_back(
        {{"knob", knob.knob}, {"class", name_of(knob.numerics)}, {"reason", knob.reason}});
  return list;
}

json tensors_json(const std::vector<TensorChange>& tensors) {
  json list = json::array();
  for (const TensorChange& tensor : tensors)
    list.push_back({{"name", tensor.name},
                    {"axis", or_null(tensor.axis)},
                    {"from_shape", tensor.from_shape},
                    {"to_shape", tensor.to_shape},
                    {"count", tensor.count},
                    {"note", tensor.note}});
  return list;
}

json layers_json(const std::vector<std::vector<std::int64_t>>& by_rank) {
  json list = json::array();
  for (const auto& layers : by_rank) list.push_back(layer_ranges(layers));
  return list;
}

json bytes_json(const BytesOverRanks& bytes) {
  return {{"max", bytes_json(bytes.most)},
          {"mean", bytes_json(bytes.mean)},
          {"total", bytes_json(bytes.total)}};
}

json reads_json(const StateReads& reads) {
  return {{"read", bytes_json(reads.read)},
          {"remote", bytes_json(reads.remote)},
          {"other_node", bytes_json(reads.other_node)}};
}

json optimizer_json(const OptimizerVerdict& optimizer) {
  json formats = json::array();
  for (const CheckpointFormat& format : optimizer.formats)
    formats.push_back({{"framework", name_of(format.framework)},
                       {"format", format.format},
                       {"allows", format.allows},
                       {"reason", format.reason},
                       {"save_flag", or_null(format.save_flag)},
                       {"load_flag", or_null(format.load_flag)}});
  return {{"moves", optimizer.moves},
          {"format", optimizer.moves ? json(optimizer.use) : json()},
          {"verdict", optimizer.verdict},
          {"from_shards", optimizer.from_shards},
          {"to_shards", optimizer.to_shards},
          {"formats", std::move(formats)}};
}

json random_json(const RandomVerdict& random) {
  json regions = json::array();
  for (const RandomRegion& region : random.regions)
    regions.push_back({{"region", region.region},
                       {"stream", region.stream},
                       {"consequence", region.consequence}});
  return {{"state_kept", random.state_kept},
          {"verdict", random.verdict},
          {"regions", std::move(regions)}};
}

json communicators_json(const std::vector<CommunicatorChange>& changes) {
  json list = json::array();
  for (const CommunicatorChange& change : changes)
    list.push_back({{"kind", change.kind},
                    {"ranks", change.ranks},
                    {"count", change.count},
                    {"tier", change.tier}});
  return list;
}

json forecast_json(const StepCost& cost) {
  return {{"step_time_s", cost.step.value()},
          {"peak_allocated_bytes", bytes_json(cost.peak_allocated)},
          {"memory", name_of(cost.verdict)}};
}

json seconds_reason(const MigrationTimes& times) {
  return times.storage ? "the busiest server reads its ranks' new shards at storage_GBps"
                       : "the storage's read rate is not known: give --storage-GBps";
}

json rates_json(const MigrationTimes& times) {
  const auto gigabytes = [](BytesPerSecond rate) { return rate.value() / 1e9; };
  return {{"storage_GBps", times.storage_rate ? json(gigabytes(*times.storage_rate)) : json()},
          {"network_GBps", gigabytes(times.network_rate)}};
}

void fill(json& out, const Migration& migration) {
  out["knobs"] = knobs_json(migration.knobs);
  out["tensors"] = tensors_json(migration.tensors);
  out["layers"] = {{"from", layers_json(migration.from_layers)},
                   {"to", layers_json(migration.to_layers)}};
  out["read_bytes_per_rank"] = bytes_json(migration.reads.all.read.most);
  out["remote_bytes_per_rank"] = bytes_json(migration.reads.all.remote.most);
  out["reads"] = {{"all", reads_json(migration.reads.all)},
                  {"parameters", reads_json(migration.reads.parameters)},
                  {"optimizer", reads_json(migration.reads.optimizer)}};
  out["same_machines"] = migration.same_machines;
  out["seconds"] = seconds_or_null(migration.times.storage);
  out["seconds_reason"] = seconds_reason(migration.times);
  out["network_seconds"] = seconds_or_null(migration.times.network);
  out["rates"] = rates_json(migration.times);
  out["optimizer"] = optimizer_json(migration.optimizer);
  out["rng"] = random_json(migration.random);
  out["data_order"] = {{"same_samples", migration.data_order.same_samples},
                       {"same_ranks", migration.data_order.same_ranks},
                       {"verdict", migration.data_order.verdict}};
  out["loss"] = {{"same", migration.loss.same}, {"verdict", migration.loss.verdict}};
  out["numerics"] = numerics_json(migration.knobs);
  out["communicators"] = {{"added", communicators_json(migration.communicators.added)},
                          {"removed", communicators_json(migration.communicators.removed)}};
  const StepCost &from = migration.from_cost, &to = migration.to_cost;
  out["forecast"] = {{"from", forecast_json(from)}, {"to", forecast_json(to)}};
  out["delta"] = {{"step_time_s", (to.step - from.step).value()},
                  {"peak_allocated_bytes", bytes_json(to.peak_allocated - from.peak_allocated)}};
  out["checklist"] = migration.checklist;
}

}  // namespace

json to_json(const MigrationReport& report) {
  json out{
      {"format", "stepcast.migration"},
      {"version", 1},
      {"labels", {{"from", report.from}, {"to", report.to}}},
      {"valid", {{"from", report.from_problems.empty()}, {"to", report.to_problems.empty()}}},
      {"problems",
       {{"from", problems_json(report.from_problems)}, {"to", problems_json(report.to_problems)}}},
      {"provenance", {{"version", product_version()}}}};
  for (const char* list : {"knobs", "tensors", "numerics", "checklist"}) out[list] = json::array();
  out["communicators"] = {{"added", json::array()}, {"removed", json::array()}};
  for (const char* unknown : {"layers", "read_bytes_per_rank", "remote_bytes_per_rank", "reads",
                              "same_machines", "seconds", "network_seconds", "rates", "optimizer",
                              "rng", "data_order", "loss", "forecast", "delta"})
    out[unknown] = nullptr;
  out["seconds_reason"] = "a side breaks a rule: see problems";
  if (report.migration) fill(out, *report.migration);
  return out;
}

}  // namespace stepcast

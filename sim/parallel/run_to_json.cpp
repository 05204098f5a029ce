#include <nlohmann/json.hpp>

#include "sim/parallel/run_json.hpp"

namespace stepcast {
namespace {

using Json = nlohmann::json;

Json stage_layers_json(const StageLayers& layers) {
  if (!layers.every.empty()) return layers.every;
  Json json{{"account_for_embedding", layers.account_for_embedding},
            {"account_for_loss", layers.account_for_loss}};
  if (layers.first) json["first"] = *layers.first;
  if (layers.last) json["last"] = *layers.last;
  return json;
}

Json schedule_json(const ParallelConfig& parallel) {
  if (parallel.schedule == ScheduleKind::actions) return {{"actions", parallel.actions_file}};
  return std::string(name_of(parallel.schedule));
}

Json parallel_json(const ParallelConfig& parallel) {
  return {{"tensor", parallel.tensor},
          {"pipeline", parallel.pipeline},
          {"context", parallel.context},
          {"data", parallel.data},
          {"expert", parallel.expert},
          {"expert_tensor", parallel.expert_tensor},
          {"virtual_stages", parallel.virtual_stages},
          {"microbatch_group", parallel.group_of_micro_batches()},
          {"sequence_parallel", parallel.sequence_parallel},
          {"schedule", schedule_json(parallel)},
          {"context_kind", name_of(parallel.context_kind)},
          {"sharding", name_of(parallel.sharding)},
          {"order", parallel.order},
          {"stage_layers", stage_layers_json(parallel.stage_layers)}};
}

Json recompute_json(const Recompute& recompute) {
  Json json{{"kind", name_of(recompute.kind)}};
  if (recompute.layers) json["layers"] = *recompute.layers;
  if (!recompute.modules.empty()) json["modules"] = recompute.modules;
  return json;
}

Json training_json(const TrainingConfig& training) {
  return {{"sequence_length", training.sequence_length},
          {"global_batch", training.global_batch},
          {"micro_batch", training.micro_batch},
          {"precision", name_of(training.precision)},
          {"parameter_dtype", name_of(training.parameter_dtype)},
          {"gradient_dtype", name_of(training.gradient_dtype)},
          {"optimizer_dtype", name_of(training.optimizer_dtype)},
          {"recompute", recompute_json(training.recompute)},
          {"attention", name_of(training.attention)}};
}

Json source_or_name(const std::string& source, const std::string& name) {
  return source.empty() ? Json(name) : Json::parse(source);
}

}  // namespace

Json to_json(const Run& run) {
  Json json{{"format", "stepcast.run"},
            {"version", 1},
            {"model", source_or_name(run.model_source, run.model.name)},
            {"cluster", source_or_name(run.cluster_source, run.cluster.name)},
            {"profile", run.profile},
            {"framework", name_of(run.framework)},
            {"parallel", parallel_json(run.parallel)},
            {"training", training_json(run.training)},
            {"overlap",
             {{"grad_reduce", run.overlap.grad_reduce},
              {"param_gather", run.overlap.param_gather},
              {"tensor", run.overlap.tensor},
              {"pipeline", run.overlap.pipeline}}}};
  if (!run.framework_release.empty()) json["framework_release"] = run.framework_release;
  return json;
}

}  // namespace stepcast

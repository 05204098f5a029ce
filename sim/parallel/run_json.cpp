#include "sim/parallel/run_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/json_node.hpp"
#include "models/load.hpp"
#include "sim/parallel/names.hpp"
#include "sim/parallel/rules.hpp"
#include "sim/parallel/rules_detail.hpp"
#include "sim/parallel/run_defaults.hpp"
#include "sim/parallel/scope.hpp"

namespace stepcast {
namespace {

// Upper ends of the ranges, so that no product of two of them leaves 64 bits.
constexpr std::int64_t degree_limit = 1 << 20;
constexpr std::int64_t sequence_limit = std::int64_t{1} << 31;
constexpr std::int64_t batch_limit = std::int64_t{1} << 31;

std::int64_t count_within(const Node& node, const std::string& key, std::int64_t fallback,
                          std::int64_t limit) {
  const std::int64_t value = node.count(key, fallback);
  if (value <= limit) return value;
  node.problem(key,
               "must be at most " + std::to_string(limit) + ", found " + std::to_string(value));
  return fallback;
}

template <class Enum>
Enum read_choice(const Node& node, const std::string& key, Enum fallback) {
  const std::string word = node.choice(key, words_of<Enum>(), std::string(name_of(fallback)));
  return value_named<Enum>(word).value_or(fallback);
}

DataType read_type(const Node& node, const std::string& key, DataType fallback,
                   const std::vector<std::string>& choices) {
  const std::string word = node.choice(key, choices, std::string(name_of(fallback)));
  return value_named<DataType>(word).value_or(fallback);
}

ScheduleKind read_schedule(const Node& node, ParallelConfig& parallel) {
  const ScheduleKind fallback = default_schedule(parallel.virtual_stages);
  const auto found = node.find("schedule");
  if (!found) return fallback;
  if (found->is_object()) {
    parallel.actions_file = found->text("actions");
    found->finish();
    return ScheduleKind::actions;
  }
  std::vector<std::string> choices = words_of<ScheduleKind>();
  std::erase(choices, "actions");
  const std::string word = node.choice("schedule", choices, std::string(name_of(fallback)));
  return value_named<ScheduleKind>(word).value_or(fallback);
}

std::string joined_axes(const std::vector<std::string>& axes) {
  std::string text;
  for (const std::string& axis : axes) text += (text.empty() ? "" : "-") + axis;
  return text;
}

// Axes that are left out are the slowest, as in Megatron-LM's RankGenerator; rules.hpp checks that
// they have one rank.
std::string read_order(const Node& node) {
  const std::vector<std::string> known{"tp", "cp", "ep", "dp", "pp"};
  const std::string text = node.text("order", joined_axes(known));
  std::vector<std::string> axes;
  std::size_t start = 0;
  while (start <= text.size()) {
    const std::size_t end = std::min(text.find('-', start), text.size());
    const std::string axis = text.substr(start, end - start);
    if (std::find(known.begin(), known.end(), axis) == known.end() ||
        std::find(axes.begin(), axes.end(), axis) != axes.end()) {
      node.problem("order",
                   "must be an order of tp, cp, ep, dp and pp such as \"tp-cp-ep-dp-pp\","
                   " found \"" +
                       text + "\"");
      return joined_axes(known);
    }
    axes.push_back(axis);
    start = end + 1;
  }
  for (const std::string& axis : known)
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) axes.push_back(axis);
  return joined_axes(axes);
}

StageLayers read_stage_layers(const Node& node, bool counts_ends) {
  StageLayers layers;
  const auto found = node.find("stage_layers");
  if (found && found->is_array()) {
    for (const Node& element : found->elements()) {
      layers.every.push_back(std::min(element.as_count(), degree_limit));
    }
    if (layers.every.empty()) found->problem("must hold one number for each pipeline stage");
    return layers;
  }
  if (found) {
    if (found->has("first")) layers.first = count_within(*found, "first", 1, degree_limit);
    if (found->has("last")) layers.last = count_within(*found, "last", 1, degree_limit);
    counts_ends = counts_ends && !layers.first && !layers.last;
    layers.account_for_embedding = found->boolean("account_for_embedding", counts_ends);
    layers.account_for_loss = found->boolean("account_for_loss", counts_ends);
    found->finish();
    return layers;
  }
  layers.account_for_embedding = layers.account_for_loss = counts_ends;
  return layers;
}

ParallelConfig read_parallel(const Node& node, const Run& run) {
  ParallelConfig parallel;
  parallel.tensor = count_within(node, "tensor", 1, degree_limit);
  parallel.pipeline = count_within(node, "pipeline", 1, degree_limit);
  parallel.context = count_within(node, "context", 1, degree_limit);
  const double group = static_cast<double>(parallel.tensor) *
                       static_cast<double>(parallel.pipeline) *
                       static_cast<double>(parallel.context);
  const double rest = static_cast<double>(run.cluster.topology.gpu_count()) / group;
  parallel.data = count_within(
      node, "data", std::max<std::int64_t>(1, static_cast<std::int64_t>(rest)), degree_limit);
  parallel.expert = count_within(node, "expert", 1, degree_limit);
  parallel.expert_tensor =
      count_within(node, "expert_tensor", run.model.moe ? parallel.tensor : 1, degree_limit);
  parallel.virtual_stages = count_within(node, "virtual_stages", 1, degree_limit);
  parallel.microbatch_group =
      count_within(node, "microbatch_group", parallel.pipeline, degree_limit);
  parallel.sequence_parallel =
      node.boolean("sequence_parallel", default_sequence_parallel(run.framework, parallel.tensor));
  parallel.schedule = read_schedule(node, parallel);
  parallel.context_kind = read_choice(node, "context_kind", ContextKind::ring);
  parallel.sharding = read_choice(node, "sharding", default_sharding(run.framework));
  parallel.order = read_order(node);
  parallel.stage_layers =
      read_stage_layers(node, default_counts_ends_as_layers(run.framework, parallel.pipeline));
  node.finish();
  return parallel;
}

Recompute read_recompute(const Node& node) {
  Recompute recompute;
  const std::vector<std::string> modules{"core_attn", "layernorm", "mlp"};
  const auto found = node.find("recompute");
  if (found && found->is_object()) {
    recompute.kind = read_choice(*found, "kind", RecomputeKind::none);
    if (found->has("layers")) recompute.layers = count_within(*found, "layers", 1, degree_limit);
    if (const auto list = found->find("modules")) {
      for (const Node& element : list->elements()) {
        const std::string name = element.as_text();
        if (std::find(modules.begin(), modules.end(), name) == modules.end())
          element.problem("must be one of core_attn, layernorm, mlp, found \"" + name + "\"");
        recompute.modules.push_back(name);
      }
    }
    found->finish();
  } else {
    recompute.kind = read_choice(node, "recompute", RecomputeKind::none);
  }
  if (recompute.kind == RecomputeKind::selective && recompute.modules.empty())
    recompute.modules = {"core_attn"};
  return recompute;
}

TrainingConfig read_training(const Node& node, const Run& run) {
  TrainingConfig training;
  training.micro_batch = count_within(node, "micro_batch", 1, degree_limit);
  training.global_batch =
      count_within(node, "global_batch", training.micro_batch * run.parallel.data, batch_limit);
  if (node.has("sequence_length") || run.model.max_positions == 0) {
    training.sequence_length = node.count("sequence_length");
    count_within(node, "sequence_length", 1, sequence_limit);
  } else {
    training.sequence_length = run.model.max_positions;
  }
  training.precision = read_type(node, "precision", DataType::bf16, {"bf16", "fp16", "fp8"});
  training.parameter_dtype =
      read_type(node, "parameter_dtype", default_parameter_dtype(run.framework, training.precision),
                {"fp32", "bf16", "fp16", "fp8"});
  training.gradient_dtype = read_type(
      node, "gradient_dtype", default_gradient_dtype(training.precision), {"fp32", "bf16", "fp16"});
  training.optimizer_dtype =
      read_type(node, "optimizer_dtype", DataType::fp32, {"fp32", "bf16", "fp16", "fp8"});
  training.recompute = read_recompute(node);
  training.attention = read_choice(node, "attention", AttentionKind::flash);
  node.finish();
  return training;
}

OverlapConfig read_overlap(const Node& node, const Run& run) {
  OverlapConfig overlap =
      default_overlap(run.framework, run.parallel.schedule, run.parallel.sharding);
  overlap.grad_reduce = node.boolean("grad_reduce", overlap.grad_reduce);
  overlap.param_gather = node.boolean("param_gather", overlap.param_gather);
  overlap.tensor = node.boolean("tensor", overlap.tensor);
  overlap.pipeline = node.boolean("pipeline", overlap.pipeline);
  node.finish();
  return overlap;
}

// A release such as 2022 may be written without quotes.
std::string read_release(const Node& root) {
  const auto found = root.find("framework_release");
  if (!found) return "";
  return found->is_number() ? found->json().dump() : found->as_text();
}

void make_objects(nlohmann::json& document) {
  for (const char* key : {"parallel", "training", "overlap"})
    if (!document.contains(key) || document[key].is_null())
      document[key] = nlohmann::json::object();
}

Run read_run(const JsonReader& reader) {
  const Node root = reader.root();
  reader.expect_format("stepcast.run", 1, false);
  for (const char* ignored : {"format", "version", "name", "comment"})
    static_cast<void>(root.has(ignored));
  const Node model = root.at("model");
  const Node cluster = root.at("cluster");
  Run run{.model = parse_model(model),
          .cluster = parse_cluster(cluster),
          .model_source = model.json().dump(),
          .cluster_source = cluster.json().dump()};
  run.profile = root.text("profile", run.cluster.server.gpu);
  run.framework = read_choice(root, "framework", Framework::megatron);
  run.framework_release = read_release(root);
  run.parallel = read_parallel(root.at("parallel"), run);
  run.training = read_training(root.at("training"), run);
  run.overlap = read_overlap(root.at("overlap"), run);
  root.finish();
  return run;
}

// What the frameworks themselves switch off silently; here with a warning.
void switch_off_what_cannot_act(Run& run) {
  if (run.parallel.sequence_parallel && run.parallel.tensor == 1) {
    run.parallel.sequence_parallel = false;
    run.warnings.emplace_back(
        "parallel.sequence_parallel is off because parallel.tensor is 1, as in Megatron-LM");
  }
  const ScheduleKind schedule = run.parallel.schedule;
  if (run.overlap.pipeline &&
      (schedule == ScheduleKind::gpipe || schedule == ScheduleKind::one_f_one_b)) {
    run.overlap.pipeline = false;
    run.warnings.push_back("overlap.pipeline is off because schedule " +
                           std::string(name_of(schedule)) +
                           " waits for each exchange, as in Megatron-LM");
  }
}

Run read_document(const std::string& file, nlohmann::json document) {
  if (!document.is_object()) throw InputError({file, "", "must be a JSON object"});
  make_objects(document);
  const JsonReader reader(file, std::move(document));
  Run run = read_run(reader);
  reader.throw_if_problems();
  return run;
}

void throw_if_any(std::vector<Problem> problems, const std::string& file) {
  for (Problem& problem : problems) problem.file = file;
  if (!problems.empty()) throw InputError(std::move(problems));
}

}  // namespace

Run parse_run(const std::string& file, nlohmann::json document) {
  Run run = read_document(file, std::move(document));
  switch_off_what_cannot_act(run);
  std::vector<Problem> problems = check_rules(run);
  for (Problem& problem : check_scope(run)) problems.push_back(std::move(problem));
  throw_if_any(std::move(problems), file);
  for (std::string& warning : rule_warnings(run)) run.warnings.push_back(std::move(warning));
  return run;
}

Run parse_search_base(const std::string& file, nlohmann::json document) {
  Run run = read_document(file, std::move(document));
  Run one_rank = run;
  one_rank.parallel = {};
  std::vector<Problem> problems = check_scope(one_rank);
  detail::Findings findings;
  detail::check_training(one_rank, findings);
  for (Problem& problem : std::move(findings).take()) problems.push_back(std::move(problem));
  throw_if_any(std::move(problems), file);
  return run;
}

}  // namespace stepcast

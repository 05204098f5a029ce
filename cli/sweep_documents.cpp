#include "cli/sweep_documents.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "cli/sweep_axes.hpp"
#include "sim/parallel/run_json.hpp"

namespace stepcast::cli {

namespace {

using nlohmann::json;

constexpr const char* global_batch = "training.global_batch";

std::string flag_of(const SweepAxis& axis) { return "--sweep " + axis.path; }

bool sets(const SweepAxis& axis, const std::string& path) {
  return std::ranges::count(targets_of(axis), path) > 0;
}

bool any_sets(const std::vector<SweepAxis>& axes, const std::string& path) {
  return std::ranges::any_of(axes, [&](const SweepAxis& axis) { return sets(axis, path); });
}

bool has_gpu_axis(const std::vector<SweepAxis>& axes) {
  return std::ranges::any_of(axes, [](const auto& axis) { return axis.kind == AxisKind::gpus; });
}

// The flags that set parts of the run: what is typed, and the path.
std::vector<std::pair<std::string, std::string>> flags_of(const RunInput& input) {
  std::vector<std::pair<std::string, std::string>> flags;
  for (const auto& [flag, value] :
       {std::pair<const char*, const std::string&>{"model", input.model},
        {"cluster", input.cluster},
        {"profile", input.profile},
        {"framework", input.framework}})
    if (!value.empty()) flags.emplace_back(std::string("--") + flag, flag);
  for (const std::string& set : input.set)
    flags.emplace_back("--set", set.substr(0, set.find('=')));
  return flags;
}

bool within(const std::string& path, const std::string& parent) {
  return path == parent || path.starts_with(parent + ".");
}

bool has_global_batch(const json& base) {
  const json* training = base.contains("training") ? &base["training"] : nullptr;
  return training && training->is_object() && training->contains("global_batch");
}

// A cluster's file is looked for beside the run's, as parse_cluster does.
json cluster_of_file(const std::string& name, const std::string& run_file) {
  const auto beside = std::filesystem::path(run_file).parent_path() / name;
  json cluster = read_document(std::filesystem::exists(beside) ? beside.string() : name);
  for (const char* key : {"name", "derived"})  // of the cluster as it was
    if (cluster.is_object()) cluster.erase(key);
  return cluster;
}

// Makes `document.cluster` an object into which an axis can write.
void spell_out_cluster(json& document, const SweepAxis& axis, const std::string& run_file) {
  const auto found = document.find("cluster");
  if (found == document.end()) return;
  json& cluster = *found;
  if (cluster.is_string()) {
    const auto text = cluster.get<std::string>();
    const std::size_t colon = text.find(':');
    if (text.ends_with(".json") || text.find('/') != std::string::npos) {
      cluster = cluster_of_file(text, run_file);
    } else {
      cluster = {{"server", text.substr(0, colon)}};
      if (colon != std::string::npos)
        cluster["nodes"] = json::parse(text.substr(colon + 1), nullptr, false);
      if (cluster.contains("nodes") && cluster["nodes"].is_discarded()) cluster = text;
    }
  }
  if (cluster.is_object() && (cluster.contains("vertices") || cluster.contains("links")))
    throw InputError(Problem{run_file, flag_of(axis),
                             "the cluster is given link by link, so that its size and rates cannot "
                             "be varied (sweep cluster over files instead)"});
}

void put(json& document, const std::string& path, const SweepAxis& axis, const SweepValue& value) {
  try {
    document = with_overrides(std::move(document), {path + "=" + value.json});
  } catch (const InputError& error) {
    throw InputError(Problem{"", flag_of(axis), error.problems().front().message});
  }
}

void apply(json& document, const SweepAxis& axis, const SweepValue& value,
           const std::string& file) {
  if (axis.kind == AxisKind::gpus) {
    spell_out_cluster(document, axis, file);
    if (document.contains("cluster") && document["cluster"].is_object())
      document["cluster"].erase("nodes");  // as many as the GPUs need
    put(document, "cluster.gpus", axis, value);
    return;
  }
  const std::string path = targets_of(axis).front();
  if (path.starts_with("cluster.")) spell_out_cluster(document, axis, file);
  put(document, path, axis, value);
}

void grow_batch(json& document, const SweepAxis& gpus, std::size_t value) {
  json& batch = document["training"]["global_batch"];
  const auto first = gpus.values.front().number, now = gpus.values[value].number;
  if (!batch.is_number() || !first || !now || *first <= 0.0) return;  // the run's reader objects
  const double grown = batch.get<double>() * *now / *first;
  if (grown == std::nearbyint(grown) && std::abs(grown) < 9e15)
    batch = static_cast<std::int64_t>(grown);
  else
    batch = grown;  // which the run's reader refuses
}

}  // namespace

void check_axes(const std::vector<SweepAxis>& axes, const RunInput& input, Scaling scaling) {
  std::vector<Problem> problems;
  for (std::size_t i = 0; i < axes.size(); ++i)
    for (const std::string& target : targets_of(axes[i])) {
      for (std::size_t j = 0; j < i; ++j)
        if (sets(axes[j], target))
          problems.push_back({"", flag_of(axes[i]), "is swept twice, as " + axes[j].path + " too"});
      for (const auto& [flag, path] : flags_of(input))
        if (within(path, target))
          problems.push_back({"", flag_of(axes[i]), "is also set by " + flag + " " + path});
    }
  if (scaling == Scaling::weak && !has_gpu_axis(axes))
    problems.push_back({"", "--weak-scaling", "needs --sweep gpus=..., which the batch follows"});
  if (scaling == Scaling::weak && any_sets(axes, global_batch))
    problems.push_back({"", "--weak-scaling", "sets training.global_batch, which is swept"});
  if (!problems.empty()) throw InputError(std::move(problems));
}

void check_batch(const std::vector<SweepAxis>& axes, const RunInput& input, const json& base) {
  const bool has_batch = !base.is_object() || has_global_batch(base);
  if (has_gpu_axis(axes) && !has_batch && !any_sets(axes, global_batch))
    throw InputError(Problem{name_of(input), global_batch,
                             "missing: --sweep gpus needs the batch that strong scaling keeps and "
                             "weak scaling starts from"});
}

bool let_data_follow(json& base, const std::vector<SweepAxis>& axes, const RunInput& input) {
  const bool moves = std::ranges::any_of(axes, [](const SweepAxis& axis) {
    return axis.kind == AxisKind::gpus || axis.path == "cluster" || axis.path == "cluster.nodes" ||
           axis.path == "cluster.gpus" || axis.path == "parallel.tensor" ||
           axis.path == "parallel.pipeline" || axis.path == "parallel.context";
  });
  const bool is_set = std::ranges::any_of(
      flags_of(input), [](const auto& flag) { return flag.second == "parallel.data"; });
  if (!moves || is_set || any_sets(axes, "parallel.data")) return false;
  const bool has_parallel = base.is_object() && base.contains("parallel");
  return has_parallel && base["parallel"].is_object() && base["parallel"].erase("data") > 0;
}

json document_at(const json& base, const std::vector<SweepAxis>& axes, const SweepPoint& point,
                 Scaling scaling, const std::string& file) {
  std::vector<std::size_t> order(axes.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  // What is whole first, then its parts: cluster before gpus and cluster.overrides.
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return targets_of(axes[i])[0].size(); });
  json document = base;
  for (const std::size_t i : order) apply(document, axes[i], axes[i].values[point.at[i]], file);
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (axes[i].kind == AxisKind::gpus && scaling == Scaling::weak)
      grow_batch(document, axes[i], point.at[i]);
  return document;
}

}  // namespace stepcast::cli

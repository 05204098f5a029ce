#include "cli/search_input.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/size.hpp"
#include "common/errors.hpp"
#include "sim/parallel/run_json.hpp"

namespace stepcast::cli {

namespace {

using nlohmann::json;

// Members of a run that a search varies unless --set gives them.
const std::vector<std::pair<std::string, std::string>>& searched_members() {
  static const std::vector<std::pair<std::string, std::string>> members{
      {"parallel.tensor", "tensor"},
      {"parallel.pipeline", "pipeline"},
      {"parallel.context", "context"},
      {"parallel.data", "data"},
      {"parallel.virtual_stages", "virtual_stages"},
      {"parallel.schedule", "schedule"},
      {"parallel.sequence_parallel", "sequence_parallel"},
      {"parallel.sharding", "sharding"},
      {"parallel.order", "order"},
      {"parallel.stage_layers", "stage_layers"},
      {"parallel.context_kind", "context_kind"},
      {"training.micro_batch", "micro_batch"},
      {"training.recompute", "recompute"}};
  return members;
}

bool sets(const std::vector<std::string>& assignments, const std::string& path) {
  return std::any_of(assignments.begin(), assignments.end(), [&](const std::string& one) {
    const std::string name = one.substr(0, one.find('='));
    return name == path || name.starts_with(path + ".");
  });
}

// The cluster of the document with another number of GPUs.
json resized(const json& cluster, std::int64_t gpus) {
  if (cluster.is_string()) {
    const std::string name = cluster;
    if (name.find('/') != std::string::npos || name.ends_with(".json"))
      throw InputError(Problem{
          "", "--gpus", "needs a cluster given as server:nodes, found the file \"" + name + "\""});
    return {{"server", name.substr(0, name.find(':'))}, {"gpus", gpus}};
  }
  json changed = cluster;
  if (!changed.is_object() || changed.contains("vertices"))
    throw InputError(Problem{"", "--gpus", "needs a cluster of servers, found an explicit graph"});
  changed.erase("nodes");
  changed.erase("name");
  changed["gpus"] = gpus;
  return changed;
}

void set_if(json& document, const char* key, const std::string& flag, const std::string& value) {
  if (!value.empty()) document["training"][key] = parse_count(flag, value, 1);
}

json read_base_document(const SearchInput& input) {
  const RunInput& run = input.run;
  json document = run.file.empty() ? json::object() : read_document(run.file);
  if (!document.is_object()) throw InputError(Problem{run.file, "", "must be a JSON object"});
  const std::pair<const char*, const std::string&> flags[] = {{"model", run.model},
                                                              {"cluster", run.cluster},
                                                              {"profile", run.profile},
                                                              {"framework", run.framework}};
  for (const auto& [key, value] : flags)
    if (!value.empty()) document[key] = value;
  document = with_overrides(std::move(document), run.set);
  set_if(document, "sequence_length", "--sequence-length", input.sequence_length);
  set_if(document, "global_batch", "--global-batch", input.global_batch);
  if (!document.contains("training") || !document["training"].contains("global_batch"))
    throw InputError(Problem{"", "--global-batch", "missing: a search holds the batch fixed"});
  return document;
}

Run read_base(const SearchInput& input, json document) {
  Run run = parse_search_base(name_of(input.run), std::move(document));
  const std::pair<const char*, bool&> overlaps[] = {
      {"overlap.grad_reduce", run.overlap.grad_reduce},
      {"overlap.param_gather", run.overlap.param_gather},
      {"overlap.pipeline", run.overlap.pipeline}};
  for (const auto& [path, flag] : overlaps)
    if (!sets(input.run.set, path)) flag = true;
  if (!run.overlap.grad_reduce && !sets(input.run.set, "overlap.param_gather"))
    run.overlap.param_gather = false;  // Megatron-LM asks for both
  return run;
}

double read_margin(const std::string& text) {
  const bool as_percent = text.ends_with('%');
  const double number =
      text == "0" ? 0.0
                  : parse_number_above("--memory-margin",
                                       as_percent ? text.substr(0, text.size() - 1) : text, 0.0);
  const double share = as_percent ? number / 100.0 : number;
  if (share >= 1.0)
    throw InputError(Problem{"", "--memory-margin",
                             "must be a share below 1 or below 100%, found \"" + text + "\""});
  return share;
}

SearchLimits read_limits(const SearchInput& input) {
  SearchLimits limits;
  const auto limit = [](const char* flag, const std::string& text, std::int64_t& value) {
    if (!text.empty()) value = parse_count(flag, text, 1);
  };
  limit("--max-tensor", input.max_tensor, limits.tensor);
  limit("--max-pipeline", input.max_pipeline, limits.pipeline);
  limit("--max-context", input.max_context, limits.context);
  limit("--max-data", input.max_data, limits.data);
  limit("--max-virtual-stages", input.max_virtual, limits.virtual_stages);
  limit("--max-micro-batch", input.max_micro_batch, limits.micro_batch);
  if (!input.memory_margin.empty()) limits.memory_margin = read_margin(input.memory_margin);
  if (!input.complexity.empty())
    limits.complexity = static_cast<int>(
        std::min<std::int64_t>(100, parse_count("--complexity", input.complexity, 0)));
  return limits;
}

}  // namespace

std::vector<std::int64_t> parse_gpu_counts(const std::string& text) {
  std::vector<std::int64_t> counts;
  if (const std::size_t dash = text.find('-'); dash != std::string::npos && dash > 0) {
    const std::int64_t first = parse_count("--gpus", text.substr(0, dash), 1);
    const std::int64_t last = parse_count("--gpus", text.substr(dash + 1), 1);
    if (last < first)
      throw InputError(Problem{"", "--gpus", "\"" + text + "\" must go from fewer to more"});
    for (std::int64_t count = first; count <= std::min(last, most_gpus); count *= 2)
      counts.push_back(count);
    return counts;
  }
  std::size_t start = 0;
  while (start <= text.size()) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    counts.push_back(parse_count("--gpus", text.substr(start, end - start), 1));
    start = end + 1;
  }
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

SearchRequest read_search_request(const SearchInput& input) {
  SearchRequest request;
  request.limits = read_limits(input);
  request.top =
      static_cast<std::size_t>(std::min<std::int64_t>(1000, parse_count("--top", input.top, 1)));
  const std::optional<Objective> objective = objective_named(input.objective);
  if (!objective) {
    std::string names;
    for (const std::string& name : objective_names()) names += (names.empty() ? "" : ", ") + name;
    throw InputError(Problem{"", "--objective",
                             "must be one of " + names + ", found \"" + input.objective + "\""});
  }
  request.objective = *objective;
  for (const auto& [path, member] : searched_members())
    if (sets(input.run.set, path)) request.pinned.insert(member);
  const json document = read_base_document(input);
  if (input.gpus.empty()) {
    request.bases.push_back(read_base(input, document));
    return request;
  }
  for (const std::int64_t gpus : parse_gpu_counts(input.gpus)) {
    json sized = document;
    if (!sized.contains("cluster")) throw InputError(Problem{"", "--cluster", "missing"});
    sized["cluster"] = resized(sized["cluster"], gpus);
    request.bases.push_back(read_base(input, std::move(sized)));
  }
  return request;
}

TrainingBudget read_budget(const SearchInput& input) {
  TrainingBudget budget;
  if (!input.tokens.empty()) budget.tokens = parse_number_above("--tokens", input.tokens, 0.0);
  if (!input.price.empty())
    budget.price_per_gpu_hour = parse_number_above("--price-per-gpu-hour", input.price, 0.0);
  if (input.objective == "cost" && (!budget.tokens || !budget.price_per_gpu_hour))
    throw InputError(Problem{"", "--objective", "cost needs --tokens and --price-per-gpu-hour"});
  return budget;
}

void add_search_options(CLI::App& verb, SearchInput& input) {
  add_run_options(verb, input.run, "Run file to start from; its degrees are searched");
  const auto text = [&](const char* flag, std::string& value, const char* help, const char* type) {
    verb.add_option(flag, value, help)->type_name(type);
  };
  verb.add_option("--set", input.run.set, "Fix one value of the run; may be repeated")
      ->type_name("path=value")
      ->allow_extra_args(false);
  text("--gpus", input.gpus, "Number of GPUs: 64, a list 64,96, or doubling 64-512", "N");
  text("--sequence-length", input.sequence_length, "Tokens of a sequence", "S");
  text("--global-batch", input.global_batch, "Sequences of a step", "B");
  text("--memory-margin", input.memory_margin, "Share of GPU memory to leave free: 10% or 0.1",
       "X");
  text("--max-tensor", input.max_tensor, "Largest tensor degree", "N");
  text("--max-pipeline", input.max_pipeline, "Largest pipeline degree", "N");
  text("--max-context", input.max_context, "Largest context degree", "N");
  text("--max-data", input.max_data, "Largest data degree", "N");
  text("--max-virtual-stages", input.max_virtual, "Most virtual stages of a rank", "N");
  text("--max-micro-batch", input.max_micro_batch, "Largest micro-batch", "N");
  text("--complexity", input.complexity,
       "Most techniques to master: axes in use, interleaving, uneven stages, fp8", "N");
}

}  // namespace stepcast::cli

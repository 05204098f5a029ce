#include "reports/search_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "reports/breakdown.hpp"
#include "reports/forecast.hpp"
#include "reports/prediction_json.hpp"
#include "reports/report_section.hpp"
#include "reports/version.hpp"
#include "sim/parallel/run_json.hpp"

namespace stepcast {

namespace {

using nlohmann::json;

struct NamedObjective {
  Objective objective;
  const char* name;
};
constexpr NamedObjective named_objectives[] = {
    {Objective::time, "time"},
    {Objective::throughput_per_gpu, "tokens_per_s_per_gpu"},
    {Objective::gpu_hours, "gpu_hours"},
    {Objective::cost, "cost"},
    {Objective::memory, "memory"}};

json number_or_null(const std::optional<double>& value) { return value ? json(*value) : json(); }

double headroom(const RankedRun& one) {
  return (one.prediction.memory_capacity - memory_needed(one.prediction)).value();
}

json entry_json(const RankedRun& one, const TrainingBudget& budget) {
  return {{"run", to_json(one.run)},
          {"prediction", to_json(one.prediction, one.run)},
          {"headroom_bytes", headroom(one)},
          {"complexity", engineering_complexity(one.run)},
          {"gpu_hours", number_or_null(gpu_hours(one.prediction, budget))},
          {"cost", number_or_null(training_cost(one.prediction, budget))}};
}

json limits_json(const SearchLimits& limits) {
  const auto limit = [](std::int64_t value) { return value == 0 ? json() : json(value); };
  return {{"tensor", limit(limits.tensor)},
          {"pipeline", limit(limits.pipeline)},
          {"context", limit(limits.context)},
          {"data", limit(limits.data)},
          {"virtual_stages", limit(limits.virtual_stages)},
          {"micro_batch", limit(limits.micro_batch)},
          {"memory_margin", limits.memory_margin},
          {"complexity", limits.complexity ? json(*limits.complexity) : json()}};
}

json request_json(const SearchRequest& request, const TrainingBudget& budget) {
  const Run& first = request.bases.front();
  json gpus = json::array();
  for (const Run& base : request.bases) gpus.push_back(base.cluster.topology.gpu_count());
  return {{"model", first.model.name},
          {"cluster", first.cluster.name},
          {"framework", name_of(first.framework)},
          {"gpus", std::move(gpus)},
          {"sequence_length", first.training.sequence_length},
          {"global_batch", first.training.global_batch},
          {"objective", name_of(request.objective)},
          {"top", request.top},
          {"limits", limits_json(request.limits)},
          {"pinned", request.pinned},
          {"tokens", number_or_null(budget.tokens)},
          {"price_per_gpu_hour", number_or_null(budget.price_per_gpu_hour)}};
}

json counts_json(const SearchCounts& counts) {
  return {{"candidates", counts.candidates},
          {"invalid", counts.invalid},
          {"pruned_memory", counts.pruned_memory},
          {"pruned_time", counts.pruned_time},
          {"simulated", counts.simulated}};
}

std::string knobs(const Run& run) {
  std::vector<std::string> words;
  if (run.parallel.sequence_parallel) words.emplace_back("SP");
  if (run.parallel.sharding != Sharding::none)
    words.push_back(std::string(name_of(run.parallel.sharding)) + " sharded");
  const Recompute& recompute = run.training.recompute;
  if (recompute.kind != RecomputeKind::none) {
    std::string text = std::string(name_of(recompute.kind)) + " recompute";
    if (recompute.layers) text += fmt::format(" of {} layers a chunk", *recompute.layers);
    words.push_back(std::move(text));
  }
  const StageLayers& layers = run.parallel.stage_layers;
  if (layers.first)
    words.push_back(
        fmt::format("{} + {} layers at the ends", *layers.first, layers.last.value_or(0)));
  if (layers.account_for_loss)
    words.emplace_back(layers.account_for_embedding ? "ends count as layers"
                                                    : "head counts as a layer");
  if (run.parallel.pipeline > 1 && run.parallel.data > 1 && run.parallel.order == "tp-cp-ep-pp-dp")
    words.emplace_back("PP inside DP");
  return join(words, ", ");
}

TextTable table_of(const std::vector<RankedRun>& runs, const TrainingBudget& budget) {
  std::vector<Column> columns{
      {"#"},   {"GPUs"},     {"TP"},           {"PP"},      {"x virtual"},  {"CP"},        {"DP"},
      {"MBS"}, {"step (s)"}, {"tokens/s/GPU"}, {"MFU (%)"}, {"free (GiB)"}, {"complexity"}};
  if (budget.tokens) columns.push_back({"GPU-hours"});
  if (budget.tokens && budget.price_per_gpu_hour) columns.push_back({"cost"});
  columns.push_back({"with", Align::left});
  TextTable table(std::move(columns));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Run& run = runs[i].run;
    const Prediction& prediction = runs[i].prediction;
    const ParallelConfig& parallel = run.parallel;
    std::vector<std::string> cells{std::to_string(i + 1),
                                   std::to_string(run.gpus()),
                                   std::to_string(parallel.tensor),
                                   std::to_string(parallel.pipeline),
                                   std::to_string(parallel.virtual_stages),
                                   std::to_string(parallel.context),
                                   std::to_string(parallel.data),
                                   std::to_string(run.training.micro_batch),
                                   three_digits(prediction.step_p50.value()),
                                   three_digits(prediction.tokens_per_s_per_gpu),
                                   percent(prediction.mfu_full),
                                   gib(headroom(runs[i])),
                                   std::to_string(engineering_complexity(run))};
    if (const auto hours = gpu_hours(prediction, budget)) cells.push_back(three_digits(*hours));
    if (const auto cost = training_cost(prediction, budget)) cells.push_back(three_digits(*cost));
    cells.push_back(knobs(run));
    table.add_row(std::move(cells));
  }
  return table;
}

std::string tradeoff_line(const Tradeoff& against) {
  std::string line;
  if (!against.gives_up.empty()) line += "gives up " + join_words(against.gives_up);
  if (!against.gains.empty())
    line += (line.empty() ? "gains " : "; gains ") + join_words(against.gains);
  return line.empty() ? "no difference that shows" : line;
}

ReportSection opening(const Run& base, const SearchCounts& counts) {
  return {.lines = {fmt::format("{} on {}, {}: sequence {}, global batch {}", base.model.name,
                                base.cluster.name, name_of(base.framework),
                                base.training.sequence_length, base.training.global_batch),
                    fmt::format("{} candidates: {} break a rule or a limit, {} do not fit, {} "
                                "cannot be better than what was found, {} simulated",
                                counts.candidates, counts.invalid, counts.pruned_memory,
                                counts.pruned_time, counts.simulated)}};
}

ReportSection nothing_found(const SearchResult& result) {
  if (result.counts.candidates > result.counts.invalid)
    return {.lines = {"nothing fits within the limits"}};
  ReportSection section{.lines = {"no configuration is valid within the limits"}};
  for (const Problem& problem : result.problems) section.remarks.push_back(to_string(problem));
  return section;
}

// Each once: what one of the runs warns of about the model, the cluster or the costs concerns all.
std::vector<std::string> warnings_of(const std::vector<RankedRun>& runs) {
  std::vector<std::string> texts;
  for (const RankedRun& one : runs)
    for (const Warning& warning : one.prediction.warnings) {
      if (warning.code == "run") continue;
      std::string text = "warning (" + warning.code + "): " + warning.message;
      if (std::find(texts.begin(), texts.end(), text) == texts.end())
        texts.push_back(std::move(text));
    }
  return texts;
}

std::vector<ReportSection> sections_of(const SearchResult& result, const SearchRequest& request,
                                       const TrainingBudget& budget) {
  std::vector<ReportSection> sections{opening(request.bases.front(), result.counts)};
  if (result.best.empty()) {
    sections.push_back(nothing_found(result));
    return sections;
  }
  ReportSection against{.title = "against 1"};
  for (std::size_t i = 1; i < result.best.size(); ++i)
    against.remarks.push_back(
        fmt::format("{}: {}", i + 1, tradeoff_line(tradeoff(result.best.front(), result.best[i]))));
  sections.push_back({.title = fmt::format("best by {} (of each combination of degrees its best)",
                                           name_of(request.objective)),
                      .table = table_of(result.best, budget)});
  sections.push_back(std::move(against));
  sections.push_back({.title = "Pareto front: step time against memory" +
                               std::string(request.bases.size() > 1 ? " and GPUs" : ""),
                      .table = table_of(result.pareto, budget)});
  sections.push_back({.remarks = warnings_of(result.best)});
  return sections;
}

}  // namespace

std::string_view name_of(Objective objective) {
  for (const NamedObjective& known : named_objectives)
    if (known.objective == objective) return known.name;
  return "";
}

std::vector<std::string> objective_names() {
  std::vector<std::string> names;
  for (const NamedObjective& known : named_objectives) names.emplace_back(known.name);
  return names;
}

std::optional<Objective> objective_named(const std::string& name) {
  for (const NamedObjective& known : named_objectives)
    if (known.name == name) return known.objective;
  return std::nullopt;
}

std::optional<double> gpu_hours(const Prediction& prediction, const TrainingBudget& budget) {
  if (!budget.tokens) return std::nullopt;
  return *budget.tokens / prediction.tokens_per_s_per_gpu / 3600.0;
}

std::optional<double> training_cost(const Prediction& prediction, const TrainingBudget& budget) {
  const std::optional<double> hours = gpu_hours(prediction, budget);
  if (!hours || !budget.price_per_gpu_hour) return std::nullopt;
  return *hours * *budget.price_per_gpu_hour;
}

Tradeoff tradeoff(const RankedRun& best, const RankedRun& other) {
  Tradeoff against;
  const auto note = [&](double change, bool worse, const std::string& text) {
    if (change != 0.0) (worse ? against.gives_up : against.gains).push_back(text);
  };
  const double rate =
      other.prediction.tokens_per_s_per_gpu / best.prediction.tokens_per_s_per_gpu - 1.0;
  if (std::abs(rate) >= 0.0005)
    note(rate, rate < 0.0,
         fmt::format("{} % {} tokens/s/GPU", percent(std::abs(rate)),
                     rate < 0.0 ? "fewer" : "more"));
  const double memory = headroom(other) - headroom(best);
  if (std::abs(memory) >= gibibytes(0.05).value())
    note(memory, memory < 0.0,
         fmt::format("{} GiB {} free memory", gib(std::abs(memory)),
                     memory < 0.0 ? "less" : "more"));
  const int complexity = engineering_complexity(other.run) - engineering_complexity(best.run);
  note(complexity, complexity > 0,
       fmt::format("{} {} {} to master", std::abs(complexity), complexity > 0 ? "more" : "fewer",
                   std::abs(complexity) == 1 ? "technique" : "techniques"));
  const std::int64_t gpus = other.run.gpus() - best.run.gpus();
  note(static_cast<double>(gpus), gpus > 0,
       fmt::format("{} {} GPUs", std::abs(gpus), gpus > 0 ? "more" : "fewer"));
  return against;
}

json to_json(const SearchResult& result, const SearchRequest& request, const TrainingBudget& budget,
             std::optional<double> seconds) {
  json out{{"format", "stepcast.search"},
           {"version", 1},
           {"request", request_json(request, budget)},
           {"counts", counts_json(result.counts)},
           {"problems", json::array()},
           {"best", json::array()},
           {"pareto", json::array()},
           {"seconds", number_or_null(seconds)},
           {"provenance", {{"version", product_version()}}}};
  for (std::size_t i = 0; i < result.best.size(); ++i) {
    json entry = entry_json(result.best[i], budget);
    const Tradeoff against = tradeoff(result.best.front(), result.best[i]);
    entry["rank"] = i + 1;
    entry["gives_up"] = against.gives_up;
    entry["gains"] = against.gains;
    out["best"].push_back(std::move(entry));
  }
  for (const RankedRun& one : result.pareto) out["pareto"].push_back(entry_json(one, budget));
  for (const Problem& problem : result.problems) out["problems"].push_back(to_string(problem));
  return out;
}

std::string search_text(const SearchResult& result, const SearchRequest& request,
                        const TrainingBudget& budget) {
  return plain_text(sections_of(result, request, budget));
}

std::string search_markdown(const SearchResult& result, const SearchRequest& request,
                            const TrainingBudget& budget) {
  return markdown(sections_of(result, request, budget));
}

}  // namespace stepcast

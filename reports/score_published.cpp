#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "common/errors.hpp"
#include "reports/breakdown.hpp"
#include "reports/published_runs.hpp"
#include "reports/score_readers.hpp"
#include "reports/score_sources.hpp"
#include "sim/memory/overhead.hpp"
#include "sim/predict/predict.hpp"

namespace stepcast {

namespace {

using nlohmann::json;

// A number at object.key, or nullopt when either is missing, null or of another type.
std::optional<double> number_at(const json& row, const char* object, const char* key) {
  const auto outer = row.find(object);
  if (outer == row.end() || !outer->is_object()) return std::nullopt;
  const auto inner = outer->find(key);
  if (inner == outer->end() || !inner->is_number()) return std::nullopt;
  return inner->get<double>();
}

std::string text_of(const json& row, const char* key) {
  const auto found = row.find(key);
  return found != row.end() && found->is_string() ? found->get<std::string>() : "";
}

bool ran_out_of_memory(const json& row) {
  const auto observed = row.find("observed");
  if (observed == row.end() || !observed->is_object()) return false;
  const auto oom = observed->find("oom");
  return oom != observed->end() && oom->is_boolean() && oom->get<bool>();
}

ScoredRow make_row(const json& row, const std::string& metric, double observed) {
  ScoredRow out;
  out.id = text_of(row, "id");
  out.source = source_family(text_of(row, "source"));
  out.metric = metric;
  out.observed = observed;
  const auto gpus = row.find("gpus");
  if (gpus != row.end() && gpus->is_number_integer())
    out.group = text_of(row, "model") + " on " + gpus->dump() + " GPUs";
  return out;
}

// What the "memory_basis" text says was observed: what the allocator handed out or kept, or what
// the device held in all.
std::string memory_metric(const std::string& basis) {
  if (basis.find("max_memory_allocated") != std::string::npos) return "peak_allocated_bytes";
  if (basis.find("max_memory_reserved") != std::string::npos) return "peak_reserved_bytes";
  if (basis.find("nvidia-smi") != std::string::npos) return "device_bytes";
  return "";
}

// The numbers that a row reports, before any forecast.
std::vector<ScoredRow> observations(const json& row) {
  std::vector<ScoredRow> out;
  auto time = number_at(row, "observed", "step_time_s");
  if (!time) time = number_at(row, "derived", "step_time_s");
  if (time && *time > 0.0) out.push_back(make_row(row, "step_time_s", *time));
  const auto memory = number_at(row, "observed", "peak_memory_gib");
  const std::string basis = text_of(row, "memory_basis");
  const std::string metric = memory_metric(basis);
  if (memory && *memory > 0.0) {
    const std::string name = metric.empty() ? "peak_allocated_bytes" : metric;
    out.push_back(make_row(row, name, gibibytes(*memory).value()));
    if (metric.empty()) out.back().skipped = "the observed memory is no measurement: " + basis;
  }
  if (ran_out_of_memory(row)) {
    out.push_back(make_row(row, "fits", 0.0));
  } else if (time || (memory && !metric.empty())) {
    out.push_back(make_row(row, "fits", 1.0));
  }
  if (out.empty()) {
    out.push_back(make_row(row, "step_time_s", 0.0));
    out.back().skipped = "the row reports no step time, memory or outcome";
  }
  return out;
}

double largest_peak(const Prediction& prediction) {
  double peak = 0.0;
  for (const StageMemory& stage : prediction.memory)
    peak = std::max(peak, stage.peak_allocated.value());
  return peak;
}

void set_from(const Prediction& prediction, const std::string& release, ScoredRow& row) {
  if (row.metric == "step_time_s") {
    row.predicted = prediction.step_p50.value();
    row.p10 = prediction.step_p10.value();
    row.p90 = prediction.step_p90.value();
  } else if (row.metric == "fits") {
    row.predicted = prediction.verdict == MemoryVerdict::out_of_memory ? 0.0 : 1.0;
  } else if (row.metric == "device_bytes") {
    row.predicted = memory_needed(prediction).value();
  } else if (row.metric == "peak_reserved_bytes") {
    row.predicted = largest_peak(prediction) * reserved_over_allocated(release);
  } else {
    row.predicted = largest_peak(prediction);
  }
}

// Marks rows that have no reason of their own yet. A row that says only that it ran loses nothing
// by not being forecast, so it goes.
std::vector<ScoredRow> skip_all(std::vector<ScoredRow> rows, const std::string& reason) {
  std::erase_if(rows,
                [](const ScoredRow& row) { return row.metric == "fits" && row.observed == 1.0; });
  for (ScoredRow& row : rows)
    if (row.scored()) row.skipped = reason;
  return rows;
}

std::string joined_problems(const InputError& error) {
  std::string out;
  for (const Problem& problem : error.problems())
    out += (out.empty() ? "" : "; ") + to_string(Problem{"", problem.where, problem.message});
  return out;
}

std::vector<ScoredRow> score_row(const json& row, const std::string& profile_name,
                                 ProfileLibrary& profiles) {
  std::vector<ScoredRow> rows = observations(row);
  try {
    const std::variant<Run, std::string> mapped = published_run(row);
    if (const auto* reason = std::get_if<std::string>(&mapped)) return skip_all(rows, *reason);
    const Run& run = std::get<Run>(mapped);
    const LoadedProfile& profile = profiles.get(profile_name.empty() ? run.profile : profile_name);
    const Prediction prediction = predict(run, profile.profile).prediction;
    for (ScoredRow& scored : rows)
      if (scored.scored()) set_from(prediction, run.framework_release, scored);
    return rows;
  } catch (const InputError& error) {
    return skip_all(std::move(rows), joined_problems(error));
  }
}

}  // namespace

std::vector<ScoreJob> published_jobs(const ScoreFile& file, const json& rows,
                                     ProfileLibrary& profiles) {
  std::vector<Problem> problems;
  std::vector<ScoreJob> jobs;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].is_object() || text_of(rows[i], "id").empty()) {
      problems.push_back({file.name, "[" + std::to_string(i) + "]",
                          "must be an object with an \"id\" (a published run)"});
      continue;
    }
    jobs.push_back([row = rows[i], profile = file.profile, &profiles] {
      return score_row(row, profile, profiles);
    });
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return jobs;
}

}  // namespace stepcast

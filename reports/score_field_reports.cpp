#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <variant>

#include "common/errors.hpp"
#include "reports/field_ranking_table.hpp"
#include "reports/published_runs.hpp"
#include "reports/score_readers.hpp"
#include "sim/predict/predict.hpp"

namespace stepcast {

namespace {

using nlohmann::json;

// Speeds nearer than this are a draw: repeated runs differ as much.
constexpr double draw = 0.01;
constexpr std::string_view source_name = "field reports";

std::string text_of(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// --- a report as a published run: what it leaves open is the framework's default ---

std::string gpu_of(const std::string& gpu, const std::string& date) {
  if (gpu.empty()) return date >= "2023" ? "H100-80GB-SXM" : "A100-80GB-SXM";
  if (has(gpu, "GB200")) return "GB200-NVL72";
  if (has(gpu, "B200")) return "B200-SXM-180GB";
  if (has(gpu, "H200")) return "H200-141GB-SXM";
  if (has(gpu, "H100")) return "H100-80GB-SXM";
  if (has(gpu, "A100 40")) return "A100-40GB-SXM";
  if (has(gpu, "A100")) return "A100-80GB-SXM";
  return gpu;
}

std::string framework_of(const std::string& framework) {
  for (const char* known : {"Megatron-Bridge", "Megatron-LM"})
    if (framework.starts_with(known)) return known;
  return framework.starts_with("NeMo") ? "NeMo (Megatron-Core)" : framework;
}

std::string precision_of(const std::string& precision, const std::string& date) {
  for (const char* known : {"fp8", "bf16", "fp16"})
    if (precision.starts_with(known)) return known;
  return date >= "2023" ? "bf16" : "fp16";
}

// Members that a report states as one number; "8 vs 1" is left to the sides.
void copy_counts(const json& config, json& row) {
  for (const char* key : {"gpus", "tp", "pp", "cp", "micro_batch", "global_batch", "seq_len"})
    if (const auto found = config.find(key); found != config.end() && found->is_number_integer())
      row[key] = *found;
}

json row_of(const json& report) {
  const json& config = report.at("config");
  const std::string date = text_of(report, "date");
  const std::string framework = framework_of(text_of(config, "framework"));
  // Megatron-Bridge and NeMo recipes shard the optimizer and run sequence parallel.
  const bool recipe = framework.starts_with("Megatron-Bridge") || framework.starts_with("NeMo");
  json row{{"id", text_of(report, "id")},
           {"framework", framework},
           {"date", date},
           {"gpu", gpu_of(text_of(config, "gpu"), date)},
           {"interconnect", ""},
           {"tp", 1},
           {"pp", 1},
           {"cp", 1},
           {"vp", 1},
           {"micro_batch", 1},
           {"sequence_parallel", recipe},
           {"zero", recipe ? "distributed_optimizer" : "none"},
           {"recompute", "none"},
           {"precision", precision_of(text_of(config, "precision"), date)},
           {"attention", "flash"},
           {"overlap", nullptr},
           {"completeness", "full"}};
  copy_counts(config, row);
  return row;
}

// GPUs not stated: whole servers for two replicas. Batch not stated: 16 micro-batches a replica.
// Returns what is wrong with the counts, or "".
std::string complete(json& row) {
  constexpr std::int64_t server = 8, replicas = 2, micro_batches = 16;
  constexpr std::int64_t most = 1'000'000;  // more only overflows
  for (const char* key : {"tp", "pp", "cp", "micro_batch", "gpus"})
    if (const std::int64_t count = row.value(key, std::int64_t{1}); count < 1 || count > most)
      return std::string(key) + " = " + std::to_string(count) + " is out of range";
  const auto count = [&](const char* key) { return row.at(key).get<std::int64_t>(); };
  const std::int64_t model_ranks = count("tp") * count("pp") * count("cp");
  if (!row.contains("gpus")) row["gpus"] = (replicas * model_ranks + server - 1) / server * server;
  row["dp"] = count("gpus") / model_ranks;
  if (!row.contains("global_batch"))
    row["global_batch"] = micro_batches * count("micro_batch") * count("dp");
  return "";
}

// --- forecasts ---

// The step time of one side, or the reason why there is none.
std::variant<double, std::string> step_time(json row, const std::string& profile_name,
                                            ProfileLibrary& profiles) {
  if (std::string wrong = complete(row); !wrong.empty()) return wrong;
  const std::variant<Run, std::string> mapped = published_run(row);
  if (const auto* reason = std::get_if<std::string>(&mapped)) return *reason;
  const Run& run = std::get<Run>(mapped);
  try {
    const LoadedProfile& profile = profiles.get(profile_name.empty() ? run.profile : profile_name);
    return predict(run, profile.profile, KeepTrace::no, SimulationDetail::actions)
        .prediction.step_p50.value();
  } catch (const InputError& error) {
    return std::string(error.what());
  }
}

ScoredRow row_named(std::string id, const char* metric) {
  ScoredRow row;
  row.id = std::move(id);
  row.source = source_name;
  row.metric = metric;
  row.observed = 1.0;
  return row;
}

using Times = std::vector<std::variant<double, std::string>>;

// `fast` and `slow` are indices of sides. A side without "speed" is known only to be faster.
void add_pair(const json& ranking, const Times& times, std::size_t fast, std::size_t slow,
              std::vector<ScoredRow>& rows) {
  const json& sides = ranking.at("sides");
  const std::string id =
      ranking.at("report").get<std::string>() + "/" + ranking.at("case").get<std::string>() + "/" +
      sides[fast].at("name").get<std::string>() + " > " + sides[slow].at("name").get<std::string>();
  ScoredRow faster = row_named(id, "faster");
  double observed = 0.0;  // how much faster; 0: not reported
  if (sides[fast].contains("speed"))
    observed = sides[fast].at("speed").get<double>() / sides[slow].at("speed").get<double>();
  for (const std::size_t side : {fast, slow})
    if (const auto* reason = std::get_if<std::string>(&times[side])) faster.skipped = *reason;
  if (observed > 0.0 && observed < 1.0 + draw) faster.skipped = "a draw: within 1 %";
  const bool scored = faster.scored();
  const double ratio = scored ? std::get<double>(times[slow]) / std::get<double>(times[fast]) : 0.0;
  faster.predicted = ratio > 1.0 ? 1.0 : 0.0;
  rows.push_back(std::move(faster));
  if (!scored || observed == 0.0) return;
  ScoredRow speed = row_named(id, "speed_ratio");
  speed.observed = observed;
  speed.predicted = ratio;
  rows.push_back(std::move(speed));
}

std::vector<ScoredRow> score_ranking(const json& report, const json& ranking,
                                     const std::string& profile, ProfileLibrary& profiles) {
  json base = row_of(report);
  base.merge_patch(ranking.at("row"));
  const json& sides = ranking.at("sides");
  Times times;
  for (const json& side : sides) {
    json row = base;
    row.merge_patch(side.at("row"));
    times.push_back(step_time(std::move(row), profile, profiles));
  }
  std::vector<ScoredRow> rows;
  for (std::size_t fast = 0; fast < sides.size(); ++fast)
    for (std::size_t slow = fast + 1; slow < sides.size(); ++slow)
      add_pair(ranking, times, fast, slow, rows);
  return rows;
}

std::vector<ScoredRow> skipped(const std::string& id, std::string reason) {
  return skip(row_named(id, "faster"), std::move(reason));
}

}  // namespace

bool is_field_reports(const json& document) {
  return !document.empty() && document[0].is_object() && document[0].contains("testable_as");
}

std::vector<ScoreJob> field_report_jobs(const ScoreFile& file, const json& reports,
                                        ProfileLibrary& profiles) {
  static const json table = json::parse(field_ranking_table());
  std::vector<ScoreJob> jobs;
  std::vector<Problem> problems;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const json& report = reports[i];
    const std::string id = report.is_object() ? text_of(report, "id") : "";
    if (id.empty() || !report.contains("config") || !report["config"].is_object()) {
      problems.push_back({file.name, "[" + std::to_string(i) + "]",
                          "must be an object with an \"id\" and a \"config\" (a field report)"});
      continue;
    }
    const std::size_t before = jobs.size();
    for (const json& ranking : table) {
      if (ranking.at("report") != id) continue;
      if (ranking.contains("skipped"))
        jobs.push_back([id, reason = text_of(ranking, "skipped")] { return skipped(id, reason); });
      else
        jobs.push_back([report, &ranking, profile = file.profile, &profiles] {
          return score_ranking(report, ranking, profile, profiles);
        });
    }
    if (jobs.size() == before) jobs.push_back([id] { return skipped(id, "not a ranking"); });
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return jobs;
}

}  // namespace stepcast

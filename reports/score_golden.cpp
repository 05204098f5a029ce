#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/errors.hpp"
#include "reports/score_readers.hpp"
#include "sim/memory/megatron_arguments.hpp"
#include "sim/memory/memory.hpp"
#include "sim/parallel/rules.hpp"
#include "sim/parallel/stage_layout.hpp"
#include "sim/program/schedule.hpp"
#include "topologies/cluster.hpp"

namespace stepcast {

namespace {

using nlohmann::json;

struct Platform {
  std::string profile, server;
};

std::optional<Platform> platform_of(const std::string& name) {
  if (name == "dgx_a100") return Platform{"a100-sxm-80gb", "dgx-a100"};
  if (name == "dgx_h100") return Platform{"h100-sxm", "dgx-h100"};
  if (name == "dgx_gb200") return Platform{"gb200", "gb200-nvl72"};
  return std::nullopt;
}

MegatronCase case_of(const json& row) {
  MegatronCase job;
  job.name = row.at("case").get<std::string>();
  job.platform = row.at("platform").get<std::string>();
  job.environment = row.at("env").get<std::string>();
  for (const auto& [key, value] : row.at("args").items())
    job.arguments[key] = value.is_string() ? value.get<std::string>() : value.dump();
  if (!row.at("world_size").is_null()) job.world_size = row.at("world_size").get<std::int64_t>();
  return job;
}

// The measured values of a row. The times are of functional tests: small models, most of them in
// deterministic mode; the file says itself that they are no training speeds.
std::vector<ScoredRow> observations(const json& row) {
  std::vector<ScoredRow> out;
  const auto add = [&](const char* key, const char* metric) {
    const auto value = row.find(key);
    if (value == row.end() || !value->is_number() || !(value->get<double>() > 0.0)) return;
    ScoredRow scored;
    scored.id = row.at("case").get<std::string>() + "@" + row.at("platform").get<std::string>();
    scored.source = "Megatron-LM golden values";
    scored.metric = metric;
    scored.observed = value->get<double>();
    out.push_back(std::move(scored));
  };
  add("mem_allocated_bytes_last", "static_allocated_bytes");
  add("mem_max_allocated_bytes_last", "peak_allocated_bytes");
  add("iteration_time_s_median", "step_time_s");
  for (ScoredRow& scored : out)
    if (scored.metric == "step_time_s")
      scored.skipped =
          "times of functional tests are no training speeds (small models, most in "
          "deterministic mode)";
  return out;
}

std::string reason_to_skip(const std::string& family, const MegatronCase& job) {
  if (family != "gpt") return "family " + family + ": only dense GPT cases are forecast";
  if (const auto reason = out_of_scope(job)) return *reason;
  if (!platform_of(job.platform)) return "no profile for " + job.platform;
  if (is_stale(job)) return "the published value contradicts the case's arguments";
  return "";
}

std::vector<ScoredRow> skip_memory(std::vector<ScoredRow> rows, const std::string& reason) {
  for (ScoredRow& row : rows)
    if (row.scored()) row.skipped = reason;
  return rows;
}

// Memory depends on the order of actions, not on their times.
std::vector<TimedAction> in_order(const StageOrder& order) {
  std::vector<TimedAction> actions;
  SimTime now;
  for (const Action& action : order.actions) {
    const SimTime end = after(now, Seconds{1.0});
    actions.push_back({action, now, end});
    now = end;
  }
  return actions;
}

// The golden values are those of the last global rank: the last pipeline stage.
StageMemory last_rank_memory(const MegatronCase& job, const Run& run, const DeviceFacts& device) {
  const ScheduleShape shape{.kind = run.parallel.schedule,
                            .stages = run.parallel.pipeline,
                            .virtual_stages = run.parallel.virtual_stages,
                            .micro_batches = run.micro_batches(),
                            .microbatch_group = run.parallel.microbatch_group};
  const std::int64_t last = run.parallel.pipeline - 1;
  return simulate_stage_memory(run, rules_of(job, run, device), last,
                               lay_out_stages(run).stages.back(),
                               in_order(make_schedule(shape).back()));
}

std::vector<ScoredRow> score_row(std::vector<ScoredRow> rows, const MegatronCase& job,
                                 const std::string& profile, ProfileLibrary& profiles) {
  const Platform platform = *platform_of(job.platform);
  const Run run = run_of(job, load_cluster(platform.server + ":1"));
  const DeviceFacts& device =
      profiles.get(profile.empty() ? platform.profile : profile).profile.device;
  const StageMemory memory = last_rank_memory(job, run, device);
  for (ScoredRow& scored : rows) {
    if (!scored.scored()) continue;
    const bool is_static = scored.metric == "static_allocated_bytes";
    scored.predicted = (is_static ? memory.static_allocated : memory.peak_allocated).value();
    // Its data-parallel size was inferred from the static memory (MEMORY_EXACT 6.4).
    if (is_static && !job.world_size && job.name.find("release") != std::string::npos)
      scored.skipped = "the world size is not published; it was inferred from this very number";
  }
  return rows;
}

ScoreJob make_job(const json& row, const std::string& profile, ProfileLibrary& profiles) {
  MegatronCase job = case_of(row);
  std::vector<ScoredRow> rows = observations(row);
  const std::string reason = reason_to_skip(row.at("family").get<std::string>(), job);
  if (!reason.empty()) return [rows = skip_memory(std::move(rows), reason)] { return rows; };
  return [rows = std::move(rows), job = std::move(job), profile, &profiles] {
    return score_row(rows, job, profile, profiles);
  };
}

}  // namespace

std::vector<ScoreJob> golden_jobs(const ScoreFile& file, const json& document,
                                  ProfileLibrary& profiles) {
  std::vector<ScoreJob> jobs;
  std::vector<Problem> problems;
  const json& rows = document.at("rows");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    try {
      jobs.push_back(make_job(rows[i], file.profile, profiles));
    } catch (const json::exception&) {
      problems.push_back({file.name, "rows[" + std::to_string(i) + "]",
                          "must hold case, family, platform and env (text), args (an object), "
                          "world_size and the measured values"});
    }
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return jobs;
}

}  // namespace stepcast

#include "reports/score.hpp"

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/output.hpp"
#include "cli/verbs.hpp"
#include "common/errors.hpp"
#include "common/files.hpp"
#include "common/progress.hpp"
#include "reports/score_json.hpp"
#include "reports/score_rows.hpp"
#include "reports/score_text.hpp"

namespace stepcast::cli {

namespace {

struct ScoreOptions {
  std::vector<std::string> files;
  std::string profile, json;
};

std::vector<ScoreJob> read_jobs(const ScoreOptions& options, ProfileLibrary& profiles) {
  std::vector<ScoreJob> jobs;
  std::vector<Problem> problems;
  for (const std::string& name : options.files) {
    try {
      const auto more = read_score_jobs({name, read_file(name), options.profile}, profiles);
      jobs.insert(jobs.end(), more.begin(), more.end());
    } catch (const InputError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    } catch (const EnvironmentError& error) {
      problems.push_back({"", "", error.what()});
    }
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return jobs;
}

int run_score(const ScoreOptions& options, Console& console) {
  check_writable(options.json);
  ProfileLibrary profiles;
  if (!options.profile.empty()) static_cast<void>(profiles.get(options.profile));
  const std::vector<ScoreJob> jobs = read_jobs(options, profiles);
  std::vector<ScoredRow> rows;
  {
    Progress progress("score", static_cast<std::int64_t>(jobs.size()));
    rows = run_score_jobs(jobs, [&] { progress.advance(); });
  }
  const Score score = summarize(std::move(rows));
  write_result(to_json(score), score_text(score), options.json, console);
  return answered;
}

}  // namespace

void add_score(CLI::App& app, Action& chosen) {
  const auto options = std::make_shared<ScoreOptions>();
  CLI::App* verb = app.add_subcommand("score", "Hold forecasts against measured numbers");
  verb->add_option("files", options->files,
                   "Published runs, Megatron golden values, or a CSV of kernels or collectives")
      ->type_name("ROWS")
      ->required();
  verb->add_option("--profile", options->profile,
                   "Profile for all rows; default: the run's, or by the file name")
      ->type_name("P");
  verb->add_option("--json", options->json, "Write the score document; - for stdout")
      ->type_name("FILE|-");
  verb->footer(
      "Example: stepcast score published_runs.json gemm_h100_sxm.csv --json score.json\n"
      "Errors are predicted / observed - 1; tau is Kendall's tau-b over rows of one model and GPU "
      "count.");
  verb->allow_extras();
  verb->callback([options, &chosen] {
    chosen = [options](Console& console) { return run_score(*options, console); };
  });
}

}  // namespace stepcast::cli

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/markdown_output.hpp"
#include "cli/output.hpp"
#include "cli/run_input.hpp"
#include "cli/sweep.hpp"
#include "cli/verbs.hpp"
#include "common/errors.hpp"
#include "common/progress.hpp"
#include "reports/comparison_json.hpp"
#include "reports/comparison_text.hpp"
#include "reports/parallel_jobs.hpp"
#include "reports/prediction_json.hpp"
#include "reports/profile_library.hpp"
#include "sim/parallel/run_json.hpp"
#include "sim/predict/predict.hpp"

namespace stepcast::cli {

namespace {

constexpr std::size_t most_runs = 20;  // side by side in a table that can still be read

struct CompareOptions {
  std::vector<std::string> files;
  bool weak_scaling = false;
  SweepOptions sweep;  // and where results go
};

// One input: a run yet to be predicted, or a prediction already written.
struct Candidate {
  std::optional<Run> run;
  Forecast forecast;
  nlohmann::json document;
};

bool is_prediction(const nlohmann::json& document) {
  return document.is_object() && document.contains("format") &&
         document["format"] == "stepcast.prediction";
}

Candidate read_candidate(const std::string& file) {
  Candidate candidate;
  nlohmann::json document = read_document(file);
  if (is_prediction(document)) {
    candidate.forecast = forecast_from_json(file, document);
    candidate.document = std::move(document);
  } else {
    candidate.run = parse_run(file, std::move(document));
    candidate.forecast.label = file;
  }
  return candidate;
}

// The names without the folders that all of them share.
std::vector<std::string> labels_of(const std::vector<std::string>& files) {
  std::string shared = files.front().substr(0, files.front().rfind('/') + 1);
  for (const std::string& file : files)
    while (!file.starts_with(shared)) {
      shared.pop_back();
      shared.erase(shared.rfind('/') + 1);
    }
  std::vector<std::string> labels;
  for (const std::string& file : files) labels.push_back(file.substr(shared.size()));
  return labels;
}

// All files' problems at once.
std::vector<Candidate> read_candidates(const std::vector<std::string>& files) {
  std::vector<Candidate> candidates;
  std::vector<Problem> problems;
  for (const std::string& file : files) {
    try {
      candidates.push_back(read_candidate(file));
    } catch (const InputError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    } catch (const EnvironmentError& error) {
      problems.push_back({"", "", error.what()});
    }
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return candidates;
}

void predict_candidate(Candidate& candidate, ProfileLibrary& profiles) {
  if (!candidate.run) return;
  Prediction prediction = naming(candidate.forecast.label, [&] {
    return predict(*candidate.run, profiles.get(candidate.run->profile).profile).prediction;
  });
  candidate.document = to_json(prediction, *candidate.run);
  candidate.forecast =
      make_forecast(candidate.forecast.label, std::move(prediction), *candidate.run);
}

// What only a sweep takes was given without one.
void refuse_run_flags(const RunInput& run, bool weak_scaling) {
  std::vector<Problem> problems;
  const auto refuse = [&](bool given, const char* flag) {
    if (given) problems.push_back({"", flag, "only with --sweep: runs are compared as they are"});
  };
  refuse(!run.model.empty(), "--model");
  refuse(!run.cluster.empty(), "--cluster");
  refuse(!run.profile.empty(), "--profile");
  refuse(!run.framework.empty(), "--framework");
  refuse(!run.set.empty(), "--set");
  refuse(weak_scaling, "--weak-scaling");
  if (!problems.empty()) throw InputError(std::move(problems));
}

void check_files(const std::vector<std::string>& files) {
  if (files.empty()) throw InputError(Problem{"", "compare", "needs RUN.json"});
  if (files.size() < 2 || files.size() > most_runs)
    throw InputError(
        Problem{"", "compare",
                "takes two to twenty runs or predictions, found " + std::to_string(files.size()) +
                    (files.size() < 2 ? " (--sweep path=values varies one run)" : "")});
}

int run_one_sweep(const CompareOptions& options, Console& console) {
  if (options.files.size() > 1)
    throw InputError(
        Problem{"", "--sweep", "varies one run, found " + std::to_string(options.files.size())});
  SweepOptions sweep = options.sweep;
  if (!options.files.empty()) sweep.run.file = options.files.front();
  sweep.scaling = options.weak_scaling ? Scaling::weak : Scaling::strong;
  return run_sweep(sweep, console);
}

int run_compare(const CompareOptions& options, Console& console) {
  const SweepOptions& out = options.sweep;
  if (!out.sweep.empty()) return run_one_sweep(options, console);
  refuse_run_flags(out.run, options.weak_scaling);
  check_files(options.files);
  check_writable(out.json);
  check_html(out.html);
  check_markdown(out.markdown, out.json);
  std::vector<Candidate> candidates = read_candidates(options.files);
  {
    ProfileLibrary profiles;
    Progress progress("compare", static_cast<std::int64_t>(candidates.size()));
    for_each_in_parallel(candidates.size(), [&](std::size_t i) {
      predict_candidate(candidates[i], profiles);
      progress.advance();
    });
  }
  const std::vector<std::string> labels = labels_of(options.files);
  std::vector<Forecast> forecasts;
  std::vector<nlohmann::json> documents;
  for (Candidate& candidate : candidates) {
    candidate.forecast.label = labels[forecasts.size()];
    forecasts.push_back(std::move(candidate.forecast));
    documents.push_back(std::move(candidate.document));
  }
  const Comparison comparison = compare(forecasts);
  const nlohmann::json document = to_json(comparison, forecasts, documents);
  write_html({document}, out.html);
  write_result(document,
               with_markdown(comparison_text(comparison, forecasts),
                             comparison_markdown(comparison, forecasts), out.markdown),
               out.json, console);
  return comparison.any_fits ? answered : nothing_feasible;
}

}  // namespace

void add_compare(CLI::App& app, Action& chosen) {
  const auto options = std::make_shared<CompareOptions>();
  SweepOptions& sweep = options->sweep;
  CLI::App* verb =
      app.add_subcommand("compare", "Explain the differences between runs and say which is best");
  verb->add_option("files", options->files, "Two to twenty runs or predictions; a sweep takes one")
      ->type_name("RUN.json");
  verb->add_option("--sweep", sweep.sweep,
                   "Vary an input, or gpus, network_GBps, nvlink_GBps; up to twice")
      ->type_name("path=1,2,4..64*2")
      ->allow_extra_args(false);
  verb->add_flag("--weak-scaling", options->weak_scaling, "The batch grows with --sweep gpus");
  verb->add_option("--model", sweep.run.model, "These five as predict has them, for a sweep")
      ->type_name("M");
  verb->add_option("--cluster", sweep.run.cluster)->type_name("C");
  verb->add_option("--profile", sweep.run.profile)->type_name("P");
  verb->add_option("--framework", sweep.run.framework)->type_name("F");
  verb->add_option("--set", sweep.run.set)->type_name("path=value")->allow_extra_args(false);
  verb->add_option("--json", sweep.json, "Write the document; - for stdout")->type_name("FILE|-");
  verb->add_option("--html", sweep.html, "Write a page that opens offline")->type_name("FILE");
  verb->add_option("--markdown", sweep.markdown, "Write tables for GitHub; - for stdout")
      ->type_name("FILE|-");
  verb->footer(
      "Example: stepcast compare examples/llama-3-70b-64-h100/*.json\n"
      "Example: stepcast compare RUN.json --sweep network_GBps=12.5..100*2\n"
      "Exit code 1: every configuration runs out of memory or is invalid.");
  verb->allow_extras();
  verb->callback([options, &chosen] {
    chosen = [options](Console& console) { return run_compare(*options, console); };
  });
}

}  // namespace stepcast::cli

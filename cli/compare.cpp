#include <CLI/CLI.hpp>
#include <iterator>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/output.hpp"
#include "cli/run_input.hpp"
#include "cli/verbs.hpp"
#include "common/errors.hpp"
#include "common/progress.hpp"
#include "reports/comparison_json.hpp"
#include "reports/comparison_text.hpp"
#include "reports/parallel_jobs.hpp"
#include "reports/prediction_json.hpp"
#include "sim/cost/profile.hpp"
#include "sim/parallel/run_json.hpp"
#include "sim/predict/predict.hpp"

namespace stepcast::cli {

namespace {

struct CompareOptions {
  std::vector<std::string> files;
  std::string json, html;
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

void predict_candidate(Candidate& candidate) {
  if (!candidate.run) return;
  Prediction prediction = naming(candidate.forecast.label, [&] {
    return predict(*candidate.run, load_profile(candidate.run->profile)).prediction;
  });
  candidate.document = to_json(prediction, *candidate.run);
  candidate.forecast =
      make_forecast(candidate.forecast.label, std::move(prediction), *candidate.run);
}

int run_compare(const CompareOptions& options, Console& console) {
  check_writable(options.json);
  check_html(options.html);
  std::vector<Candidate> candidates = read_candidates(options.files);
  {
    Progress progress("compare", static_cast<std::int64_t>(candidates.size()));
    for_each_in_parallel(candidates.size(), [&](std::size_t i) {
      predict_candidate(candidates[i]);
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
  write_html({document}, options.html);
  write_result(document, comparison_text(comparison, forecasts), options.json, console);
  return comparison.any_fits ? answered : nothing_feasible;
}

}  // namespace

void add_compare(CLI::App& app, Action& chosen) {
  const auto options = std::make_shared<CompareOptions>();
  CLI::App* verb =
      app.add_subcommand("compare", "Explain the differences between runs and say which is best");
  verb->add_option("files", options->files, "Run files, or predictions already written")
      ->type_name("RUN.json")
      ->required();
  verb->add_option("--json", options->json, "Write the comparison document; - for stdout")
      ->type_name("FILE|-");
  verb->add_option("--html", options->html, "Write a page that opens offline")->type_name("FILE");
  verb->footer(
      "Example: stepcast compare examples/llama-3-70b-64-h100/*.json\n"
      "Exit code 1: every configuration runs out of memory.");
  verb->allow_extras();
  verb->callback([options, &chosen] {
    chosen = [options](Console& console) { return run_compare(*options, console); };
  });
}

}  // namespace stepcast::cli

#include "sim/predict/predict.hpp"

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/markdown_output.hpp"
#include "cli/output.hpp"
#include "cli/run_input.hpp"
#include "cli/verbs.hpp"
#include "common/errors.hpp"
#include "common/files.hpp"
#include "reports/markdown_prediction.hpp"
#include "reports/prediction_json.hpp"
#include "reports/prediction_text.hpp"
#include "reports/timeline_json.hpp"
#include "reports/trace.hpp"
#include "sim/cost/profile.hpp"

namespace stepcast::cli {

namespace {

struct PredictOptions {
  RunInput run;
  std::string json, html, markdown, trace;
  bool inputs = false;
};

int run_predict(const PredictOptions& options, Console& console) {
  if (options.trace == "-") throw InputError(Problem{"", "--trace", "must be a file, found \"-\""});
  check_writable(options.json);
  check_html(options.html);
  check_writable(options.trace);
  check_markdown(options.markdown, options.json);
  const Run run = read_run(options.run);
  const KeepTrace keep = !options.trace.empty()  ? KeepTrace::yes
                         : !options.html.empty() ? KeepTrace::outline
                                                 : KeepTrace::no;
  PredictionWithTrace result =
      naming(name_of(options.run), [&] { return predict(run, load_profile(run.profile), keep); });
  if (!options.trace.empty())
    write_file_atomically(options.trace, chrome_trace(result.trace, result.prediction));
  const bool fits = result.prediction.verdict != MemoryVerdict::out_of_memory;
  const nlohmann::json document = to_json(result.prediction, run);
  if (!options.html.empty()) write_html({document, timeline_json(result)}, options.html);
  const Forecast forecast = make_forecast(options.run.file, std::move(result.prediction), run);
  const TextOptions text{options.inputs ? ShowInputs::yes : ShowInputs::no,
                         console.colour ? Colour::yes : Colour::no};
  write_result(document,
               with_markdown(prediction_text(forecast, text), prediction_markdown(forecast),
                             options.markdown),
               options.json, console);
  return fits ? answered : nothing_feasible;
}

}  // namespace

void add_predict(CLI::App& app, Action& chosen) {
  const auto options = std::make_shared<PredictOptions>();
  CLI::App* verb = app.add_subcommand("predict", "Forecast time, throughput and memory of a step");
  add_run_options(*verb, options->run, "Run file (stepcast.run)");
  verb->add_option("--set", options->run.set, "Replace one value of the run; may be repeated")
      ->type_name("path=value")
      ->allow_extra_args(false);
  verb->add_option("--json", options->json, "Write the prediction document; - for stdout")
      ->type_name("FILE|-");
  verb->add_option("--html", options->html, "Write a page that opens offline")->type_name("FILE");
  verb->add_option("--markdown", options->markdown, "Write tables for GitHub; - for stdout")
      ->type_name("FILE|-");
  verb->add_option("--trace", options->trace, "Write a Perfetto trace, one rank a stage")
      ->type_name("FILE");
  verb->add_flag("--inputs", options->inputs, "Print every resolved input");
  verb->footer(
      "Example:\n"
      "  stepcast predict --model llama-3-8b --cluster dgx-h100:1 --set parallel.tensor=2 \\\n"
      "    --set training.sequence_length=8192 --set training.global_batch=128\n"
      "Exit code 1: the configuration runs out of memory.");
  verb->allow_extras();
  verb->callback([options, &chosen] {
    chosen = [options](Console& console) { return run_predict(*options, console); };
  });
}

}  // namespace stepcast::cli

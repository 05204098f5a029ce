#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/markdown_output.hpp"
#include "cli/output.hpp"
#include "cli/run_input.hpp"
#include "cli/verbs.hpp"
#include "common/errors.hpp"
#include "reports/migration_text.hpp"
#include "sim/parallel/run_json.hpp"

namespace stepcast::cli {

namespace {

struct MigrateOptions {
  std::string from, to, json, html, markdown;
  std::string storage, network;  // GB/s of one server
};

std::optional<BytesPerSecond> read_rate(const std::string& flag, const std::string& text,
                                        std::vector<Problem>& problems) {
  if (text.empty()) return std::nullopt;
  double rate = 0.0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, rate);
  if (error != std::errc{} || at != end || !(rate > 0.0) || !std::isfinite(rate))
    problems.push_back({"", flag, "must be a rate in GB/s above 0, found \"" + text + "\""});
  return BytesPerSecond{rate * 1e9};
}

MigrationRates read_rates(const MigrateOptions& options) {
  std::vector<Problem> problems;
  const MigrationRates rates{.storage = read_rate("--storage-GBps", options.storage, problems),
                             .network = read_rate("--network-GBps", options.network, problems)};
  if (!problems.empty()) throw InputError(std::move(problems));
  return rates;
}

// Problems of check_rules and check_scope carry the value ("parallel.tensor = 6"); others are
// errors in the file's form.
bool breaks_rules(const InputError& error) {
  return std::all_of(error.problems().begin(), error.problems().end(), [](const Problem& problem) {
    return problem.where.find(" = ") != std::string::npos;
  });
}

// A run, or the rules that it breaks.
std::optional<Run> read_side(const std::string& file, std::vector<Problem>& broken) {
  try {
    return parse_run(file, read_document(file));
  } catch (const InputError& error) {
    if (!breaks_rules(error)) throw;
    broken = error.problems();
    return std::nullopt;
  }
}

int run_migrate(const MigrateOptions& options, Console& console) {
  check_writable(options.json);
  check_html(options.html);
  check_markdown(options.markdown, options.json);
  const MigrationRates rates = read_rates(options);
  MigrationReport report{.from = options.from,
                         .to = options.to,
                         .from_problems = {},
                         .to_problems = {},
                         .migration = {}};
  const std::optional<Run> from = read_side(options.from, report.from_problems);
  const std::optional<Run> to = read_side(options.to, report.to_problems);
  if (from && to)
    report.migration =
        naming(options.from + " and " + options.to, [&] { return migrate(*from, *to, rates); });
  const nlohmann::json document = to_json(report);
  write_html({document}, options.html);
  write_result(document,
               with_markdown(migration_text(report), migration_markdown(report), options.markdown),
               options.json, console);
  const bool fits =
      report.migration && report.migration->to_cost.verdict != MemoryVerdict::out_of_memory;
  return fits ? answered : nothing_feasible;
}

}  // namespace

void add_migrate(CLI::App& app, Action& chosen) {
  const auto options = std::make_shared<MigrateOptions>();
  CLI::App* verb =
      app.add_subcommand("migrate", "Say what moving a job from one run to another takes");
  verb->add_option("from", options->from, "Run file of the job as it is")
      ->type_name("FROM.json")
      ->required();
  verb->add_option("to", options->to, "Run file of the job as it will be")
      ->type_name("TO.json")
      ->required();
  verb->add_option("--storage-GBps", options->storage,
                   "Rate at which one server reads the checkpoint; without it: no time")
      ->type_name("GB/s");
  verb->add_option("--network-GBps", options->network,
                   "Rate at which one server receives; default: all its NICs")
      ->type_name("GB/s");
  verb->add_option("--json", options->json, "Write the migration document; - for stdout")
      ->type_name("FILE|-");
  verb->add_option("--html", options->html, "Write a page that opens offline")->type_name("FILE");
  verb->add_option("--markdown", options->markdown, "Write it as Markdown; - for stdout")
      ->type_name("FILE|-");
  verb->footer(
      "Example:\n"
      "  stepcast migrate examples/llama-3-70b-64-h100/tp8-pp2.json \\\n"
      "    examples/llama-3-70b-64-h100/tp4-pp4-cp2.json --storage-GBps 10\n"
      "Exit code 1: a run breaks a rule, or the new one runs out of memory.");
  verb->allow_extras();
  verb->callback([options, &chosen] {
    chosen = [options](Console& console) { return run_migrate(*options, console); };
  });
}

}  // namespace stepcast::cli
